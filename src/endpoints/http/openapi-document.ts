import { type FieldKind, type FieldKinds, wireNameOf } from '../../platform/http/inputs.ts'
import type { JsonSchema } from '../../platform/http/json-schema.ts'
import {
  type Answered,
  captchaFields,
  commonErrors,
  type Endpoint,
  type NamedSchema,
} from './endpoint.ts'
import { guardsOf } from './guards.ts'
import { wireSchemas } from './wire-schemas.ts'

interface OpenApiOptions {
  version: string
  /** The path of the mounted endpoints, such as `/auth`; empty for the root. */
  basePath: string
  /** The pages, which are HTML. */
  pages?: readonly DescribedPage[]
}

/** A page, as documents list it. */
export interface DescribedPage {
  path: string
  summary: string
  /** Whether forms are submitted to it. */
  hasForms: boolean
}

/**
 * Describes the endpoints as an OpenAPI document. Endpoints of one method and path are one
 * operation, which accepts and returns the union of theirs.
 *
 * @see OpenAPI 3.1.1
 */
export function openApiDocument(
  endpoints: readonly Endpoint[],
  { version, basePath, pages = [] }: OpenApiOptions,
): Record<string, unknown> {
  const paths: Record<string, Record<string, object>> = {}
  const operations = Map.groupBy(endpoints, ({ method, path }) => `${method} ${path}`)
  for (const same of operations.values()) {
    const [{ method, path }] = same as [Endpoint, ...Endpoint[]]
    paths[path] = { ...paths[path], [method.toLowerCase()]: operationOf(same) }
  }
  for (const page of pages) paths[page.path] = { ...paths[page.path], ...pageOperations(page) }
  return {
    openapi: '3.1.1',
    info: { title: 'Latchkey', version, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: basePath || '/' }],
    paths,
    components: {
      schemas: schemasOf(endpoints),
      parameters: { apiVersion },
      securitySchemes: {
        accessToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
        operatorToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
      },
    },
  }
}

/** Returns the schemas of responses by name: the shared ones, then those of single endpoints. */
export const schemasOf = (endpoints: readonly Endpoint[]): Record<string, JsonSchema> => ({
  ...wireSchemas,
  ...Object.fromEntries(
    endpoints
      .flatMap(({ answers }) => Object.values(answers))
      .flatMap((one) => (isNamedSchema(one) ? [...(one.refersTo ?? []), one] : []))
      .map(({ name, schema }) => [name, schema]),
  ),
})

/** Returns the names of the schemas of a response. */
export const schemaNames = (answered: Answered): readonly string[] =>
  isNamedSchema(answered) ? [answered.name] : [answered ?? []].flat()

const isNamedSchema = (answered: Answered): answered is NamedSchema =>
  typeof answered === 'object' && answered !== null && 'schema' in answered

function operationOf(same: readonly Endpoint[]): object {
  const [first] = same as [Endpoint, ...Endpoint[]]
  const bodies = same.map(bodySchema).filter((schema) => schema !== null)
  return {
    operationId: operationIdOf(first),
    summary: same.map(({ summary }) => summary).join(' '),
    security: securityOf(first),
    parameters: [
      ...pathParameters(first),
      ...queryParameters(same),
      { $ref: '#/components/parameters/apiVersion' },
    ],
    ...(bodies.length > 0 && {
      requestBody: {
        required: !first.isBodyOptional,
        content: { 'application/json': { schema: anyOf(bodies) } },
      },
    }),
    responses: {
      ...successesOf(same),
      default: errorResponse(same),
    },
  }
}

const apiVersion = {
  name: 'X-Supabase-Api-Version',
  in: 'header',
  required: false,
  description:
    'From 2024-01-01 on, errors have the form of ErrorWithTextCode; without it, that of Error.',
  schema: { type: 'string', format: 'date' },
}

/** Joins method and path to an id: `postToken`, `getAdminUsersByUserId`. */
const operationIdOf = ({ method, path }: Pick<Endpoint, 'method' | 'path'>): string =>
  method.toLowerCase() +
  path
    .replaceAll(/\{(\w+)\}/g, 'by-$1')
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')

const distinct = (words: readonly string[]): string[] => [...new Set(words)].sort()

const errorsOf = (endpoint: Endpoint) => [...commonErrors(endpoint), ...endpoint.errors]

const securityOf = (endpoint: Endpoint): object[] => {
  const { caller } = guardsOf(endpoint)
  if (caller === 'anyone') return []
  return [{ [caller === 'user' ? 'accessToken' : 'operatorToken']: [] }]
}

const pathParameters = ({ path }: Endpoint): object[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: name === 'provider' ? { type: 'string' } : { type: 'string', format: 'uuid' },
  }))

/** A parameter that several endpoints of one path have accepts the values of each. */
function queryParameters(same: readonly Endpoint[]): object[] {
  const kinds = same.flatMap(({ query = {} }) => Object.entries(query as FieldKinds))
  return [...Map.groupBy(kinds, ([name, kind]) => wireNameOf(name, kind))].map(([name, some]) => ({
    name,
    in: 'query',
    required: some.length === same.length && some.every(([, kind]) => kind.isRequired),
    schema: anyOf(some.map(([, kind]) => kind.jsonSchema)),
  }))
}

/** A field with the value null is read as missing. */
function bodySchema({ body, guards }: Endpoint): JsonSchema | null {
  const { captcha } = guardsOf({ guards })
  if (!body && !captcha) return null
  const kinds = Object.entries<FieldKind<unknown>>({
    ...body?.kinds,
    ...(captcha && captchaFields.kinds),
  })
  const required = kinds.filter(([, { isRequired }]) => isRequired)
  return {
    type: 'object',
    properties: Object.fromEntries(
      kinds.map(([name, kind]) => [
        wireNameOf(name, kind),
        kind.isRequired ? kind.jsonSchema : orNull(kind.jsonSchema),
      ]),
    ),
    ...(required.length > 0 && { required: required.map((one) => wireNameOf(...one)) }),
  }
}

const orNull = (schema: JsonSchema): JsonSchema => ({
  ...schema,
  type: [schema['type'], 'null'],
  ...(Array.isArray(schema['enum']) && { enum: [...schema['enum'], null] }),
})

/** Endpoints with the same status have alternative schemas. */
function successesOf(same: readonly Endpoint[]): Record<string, object> {
  const answers = same.flatMap(({ answers }) => Object.entries(answers))
  const byStatus = [...Map.groupBy(answers, ([status]) => status)]
  return Object.fromEntries(
    byStatus.map(([status, some]) => [status, responseOf(some.map(([, answered]) => answered))]),
  )
}

function responseOf(answered: readonly Answered[]): object {
  const names = [...new Set(answered.flatMap(schemaNames))]
  if (names.length === 0) return { description: 'Without JSON' }
  return {
    description: names.join(' or '),
    content: { 'application/json': { schema: anyOf(names.map(refTo)) } },
  }
}

function errorResponse(endpoints: readonly Endpoint[]): object {
  const codes = distinct(endpoints.flatMap(errorsOf))
  const oauthErrors = distinct(endpoints.flatMap(({ oauthErrors = [] }) => oauthErrors))
  return {
    description: 'A refusal',
    content: {
      'application/json': {
        schema: anyOf([
          { allOf: [refTo('Error'), { properties: { error_code: { enum: codes } } }] },
          { allOf: [refTo('ErrorWithTextCode'), { properties: { code: { enum: codes } } }] },
          ...(oauthErrors.length > 0
            ? [{ allOf: [refTo('OAuthError'), { properties: { error: { enum: oauthErrors } } }] }]
            : []),
        ]),
      },
      ...(endpoints.some(({ isOpenedByBrowsers }) => isOpenedByBrowsers) && htmlContent),
    },
  }
}

const htmlContent = { 'text/html': { schema: { type: 'string' } } } as const

const refTo = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` })

const anyOf = (schemas: readonly JsonSchema[]): JsonSchema =>
  schemas.length === 1 ? (schemas[0] as JsonSchema) : { anyOf: schemas }

/** Describes a page. Its forms have the fields that it shows, and an action, `do`. */
function pageOperations({ path, summary, hasForms }: DescribedPage): Record<string, object> {
  const parameter = (name: string) => ({
    name,
    in: 'query',
    required: name === 'do',
    schema: { type: 'string' },
  })
  const page = { content: htmlContent }
  const responses = {
    '200': { description: 'The page', ...page },
    '303': { description: 'A redirect to another page' },
    default: { description: 'The page, with an error', ...page },
  }
  const shared = { security: [], responses }
  const query = ['redirect_to', 'lang'].map(parameter)
  return {
    get: {
      operationId: operationIdOf({ method: 'GET', path }),
      summary,
      parameters: query,
      ...shared,
    },
    ...(hasForms && {
      post: {
        operationId: operationIdOf({ method: 'POST', path }),
        summary: `Submits a form of the page ${path}.`,
        parameters: [parameter('do'), ...query],
        requestBody: {
          required: true,
          content: {
            'application/x-www-form-urlencoded': {
              schema: {
                type: 'object',
                properties: { form_token: { type: 'string' } },
                required: ['form_token'],
              },
            },
          },
        },
        ...shared,
      },
    }),
  }
}
