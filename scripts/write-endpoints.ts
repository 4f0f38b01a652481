/** Generates docs/endpoints.md from the descriptions of the endpoints: `npm run docs`. */

import { githubSlug } from '../docs/.vitepress/github-slug.ts'
import {
  type Answered,
  captchaFields,
  commonErrors,
  type Endpoint,
  hookErrors,
  messageErrors,
} from '../src/endpoints/http/endpoint.ts'
import { anyone, guardsOf, operator, user } from '../src/endpoints/http/guards.ts'
import { schemaNames, schemasOf } from '../src/endpoints/http/openapi-document.ts'
import { type FieldKind, type FieldKinds, wireNameOf } from '../src/platform/http/inputs.ts'
import type { JsonSchema } from '../src/platform/http/json-schema.ts'
import { endpoints } from '../src/service/endpoints.ts'
import { withContents } from './contents.ts'

/**
 * Groups of endpoints by the beginning of their paths. An endpoint is in the first that matches.
 */
const groups: Readonly<Record<string, RegExp>> = {
  Operators: /^\/(?:admin|invite)/,
  'External providers': /^\/(?:authorize|callback|sso|user\/identities)/,
  'The signed-in user': /^\/(?:user|logout|reauthenticate)/,
  'Second factors': /^\/factors/,
  Passkeys: /^\/passkeys/,
  'The service': /^\/(?:health|ready|settings|\.well-known)/,
  'Sign-up and sign-in': /^\//,
}

const order = [
  'Sign-up and sign-in',
  'The signed-in user',
  'External providers',
  'Second factors',
  'Passkeys',
  'Operators',
  'The service',
]

const ofAnyone = commonErrors({ guards: [anyone] })
const ofUsers = commonErrors({ guards: [user] }).slice(ofAnyone.length)
const ofOperators = commonErrors({ guards: [operator] }).slice(ofAnyone.length + ofUsers.length)

const linkToError = (code: string) => `[\`${code}\`](errors.md#${code})`
const notRepeated: Readonly<Record<string, readonly string[]>> = {
  hooks: hookErrors,
  messages: messageErrors,
}
const links = (codes: readonly string[]) => codes.map(linkToError).join(', ')

const introduction = `# Endpoints

<!-- Written by scripts/write-endpoints.ts from the descriptions beside the routes. Run npm run docs. -->

Look up the HTTP endpoints of the service: fields, responses, errors and limits. [openapi.json](openapi.json) describes them for programs; \`latchkey openapi --base-path /auth\` writes it for a
service that is mounted at \`/auth\`. Paths on this page are relative to the mount point.

- Requests and responses are JSON. A field that is \`null\` counts as absent. Fields that are not listed are dropped.
- Fields in **bold** are required. A \`?\` after a field of a response means that it may be absent.
- Access tokens are sent in the header \`Authorization: Bearer <access token>\`.
- \`redirect_to\` may also be a header of that name: [Redirects](redirects.md).

Many endpoints may return these errors, which are not repeated below:

| Endpoints | Errors |
|---|---|
| all | ${links(ofAnyone)} |
| with a body | ${links(['bad_json'])} |
| with a limit for each client | ${links(['over_request_rate_limit'])} |
| with a captcha | ${links(['captcha_failed'])} |
| for users and operators | ${links(ofUsers)} |
| for operators | ${links(ofOperators)} |
| with *those of hooks* | ${links(hookErrors)} |
| with *those of messages* | ${links(messageErrors)} |

`

export function renderEndpoints(): string {
  const byGroup = Map.groupBy(endpoints, groupOf)
  const parts = order.map((group) => {
    const byHeading = Map.groupBy(byGroup.get(group) ?? [], headingOf)
    const texts = [...byHeading].map(
      ([heading, same]) => `### ${heading}\n\n${same.map(renderEndpoint).join('\n')}`,
    )
    return [`## ${group}\n`, ...texts].join('\n')
  })
  const text = [introduction + parts.join('\n'), renderAnswers()].join('\n')
  return withContents(text, '[Errors](errors.md)')
}

const groupOf = ({ path, section }: Endpoint): string =>
  section ?? Object.entries(groups).find(([, begins]) => begins.test(path))?.[0] ?? ''

/** Returns the heading of an endpoint: method and path, and for `/token` the grant. */
export function headingOf({ method, path, query }: Endpoint): string {
  const grant = (query as FieldKinds | undefined)?.['grantType']
  const [word] = (grant?.jsonSchema['enum'] as string[] | undefined) ?? []
  return `${method} ${path}${word ? `?grant_type=${word}` : ''}`
}

/** Returns a link to the endpoint with a heading. */
export const linkToHeading = (heading: string): string =>
  `[\`${heading}\`](endpoints.md#${githubSlug(heading)})`

const callers = {
  anyone: 'anyone',
  user: 'a signed-in user',
  operator: 'an operator',
} as const

function renderEndpoint(endpoint: Endpoint): string {
  const { summary, query, body, isBodyOptional, answers } = endpoint
  const { caller, limit, captcha } = guardsOf(endpoint)
  const checks = [limit && 'a limit for each client', captcha && 'a captcha, where they are on']
  const kinds = {
    ...body?.kinds,
    ...(captcha && { captchaToken: captchaFields.kinds.captchaToken }),
  }
  const isEmpty = Object.keys(kinds).length === 0
  const lines = [
    `- **For** ${[callers[caller], ...checks.filter(Boolean)].join('; ')}`,
    query && `- **Query** ${renderFields(query as FieldKinds)}`,
    !isEmpty && `- **Body**${isBodyOptional ? ' (may be left out)' : ''} ${renderFields(kinds)}`,
    ...Object.entries(answers).map(([status, answer]) => `- **${status}** ${renderAnswer(answer)}`),
    renderOwnErrors(endpoint),
  ]
  return `${summary}\n\n${lines.filter(Boolean).join('\n')}\n`
}

function renderOwnErrors(endpoint: Endpoint): string {
  const errors: readonly string[] = endpoint.errors
  const families = Object.entries(notRepeated).filter(([, codes]) =>
    codes.every((code) => errors.includes(code)),
  )
  const elsewhere = new Set<string>([
    ...commonErrors(endpoint),
    ...families.flatMap(([, codes]) => codes),
  ])
  const own = new Set(errors.filter((code) => !elsewhere.has(code)))
  const parts = [
    ...[...own].sort().map(linkToError),
    ...families.map(([family]) => `those of ${family}`),
  ]
  return parts.length > 0 ? `- **Errors** ${parts.join(', ')}` : ''
}

const renderFields = (kinds: FieldKinds): string =>
  Object.entries(kinds)
    .map(([name, kind]) => renderField(wireNameOf(name, kind), kind))
    .join(', ')

function renderField(name: string, { jsonSchema, isRequired }: FieldKind<unknown>): string {
  const type = typeOf(jsonSchema)
  const shown = isRequired ? `**\`${name}\`**` : `\`${name}\``
  return type === 'string' ? shown : `${shown} (${type})`
}

function renderAnswer(answer: Answered): string {
  if (answer === null) return 'nothing'
  return schemaNames(answer).map(linkToSchema).join(' or ')
}

const linkToSchema = (name: string) => `[${name}](#${githubSlug(name)})`

/** Describes a schema in a few words. */
function typeOf(schema: JsonSchema): string {
  const { $ref, const: fixed, enum: words, anyOf, type, format, items } = schema
  if (typeof $ref === 'string') return linkToSchema($ref.replace(/^.*\//, ''))
  if (fixed !== undefined) return `\`${fixed}\``
  if (Array.isArray(words)) return words.map((word) => `\`${word}\``).join(', ')
  if (Array.isArray(anyOf)) return anyOf.map(typeOf).join(' or ')
  if (type === 'array') return `list of ${items ? typeOf(items as JsonSchema) : 'anything'}`
  if (format === 'date-time') return 'time'
  return [type ?? 'anything'].flat().join(' or ')
}

function renderAnswers(): string {
  const texts = Object.entries(schemasOf(endpoints)).map(([name, schema]) =>
    renderSchema(name, schema),
  )
  return ['## Answers\n', ...texts].join('\n')
}

function renderSchema(name: string, schema: JsonSchema): string {
  const { properties, required, description } = schema
  const fields = Object.entries((properties ?? {}) as Record<string, JsonSchema>)
  const needed = new Set(required as string[] | undefined)
  const rows = fields.map(([field, kind]) =>
    [`\`${field}\`${needed.has(field) ? '' : '?'}`, typeOf(kind), kind['description'] ?? ''].map(
      (cell) => String(cell).replaceAll('|', '\\|'),
    ),
  )
  const table = [['Field', 'Type', ''], ['---', '---', '---'], ...rows]
  const parts = [
    `### ${name}\n`,
    ...(description ? [`${description}\n`] : []),
    rows.length > 0
      ? table.map((cells) => `| ${cells.join(' | ')} |\n`).join('')
      : `${description ? '' : renderOther(schema)}\n`,
  ]
  return parts.join('\n')
}

const renderOther = (schema: JsonSchema): string =>
  schema['type'] === 'object' ? 'An empty object.' : `${typeOf(schema)}.`
