import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { openApiDocument } from '../../../src/endpoints/http/openapi-document.ts'
import { endpoints } from '../../../src/service/endpoints.ts'

/** A request and its response. */
interface Exchange {
  method: string
  /** The path below the base path, without its query. */
  path: string
  status: number
  contentType: string | null
  body: unknown
}

const document = openApiDocument(endpoints, { version: '0.0.0', basePath: '' }) as {
  paths: Record<string, Record<string, { responses: Record<string, object> }>>
}

const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv)
ajv.addSchema(document, 'document')

const patterns = Object.keys(document.paths)
  .sort((one, other) => one.split('{').length - other.split('{').length)
  .map((path) => ({ path, pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`) }))

/**
 * Returns how a response violates the OpenAPI document; null where it conforms. The document does
 * not apply to unknown paths and methods.
 */
export function objectionTo({ method, path, status, contentType, body }: Exchange): string | null {
  const known = patterns.find(({ pattern }) => pattern.test(path))
  const operation = known && document.paths[known.path]?.[method.toLowerCase()]
  if (!known || !operation) return null
  if (isNoEndpoint(status, body)) return null
  const key = String(status) in operation.responses ? String(status) : 'default'
  if (key === 'default' && status < 400) return `${method} ${known.path} answers ${status}`
  const pointer = `/paths/${escaped(known.path)}/${method.toLowerCase()}/responses/${key}`
  const { content } = (operation.responses[key] ?? {}) as { content?: object }
  const isPage = contentType?.startsWith('text/html') ?? false
  if (isPage && content && 'text/html' in content) return null
  const hasContent = content !== undefined
  const isJson = contentType?.startsWith('application/json') ?? false
  if (hasContent !== isJson) return `${method} ${known.path} ${status}: is ${contentType}`
  if (!hasContent) return null
  const schema = `document#${pointer}/content/application~1json/schema`
  const validate = ajv.getSchema(schema)
  if (!validate) return `no schema at ${schema}`
  if (validate(body)) return null
  return `${method} ${known.path} ${status}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(body)}`
}

/**
 * Returns whether the response is that of an unknown endpoint: some are not enabled in every
 * configuration.
 */
const isNoEndpoint = (status: number, body: unknown): boolean =>
  (status === 404 && /"not_found"/.test(JSON.stringify(body) ?? '')) || status === 405

const escaped = (path: string) => path.replaceAll('~', '~0').replaceAll('/', '~1')
