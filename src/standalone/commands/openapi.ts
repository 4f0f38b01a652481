import { openApiDocument } from '../../endpoints/http/openapi-document.ts'
import { withoutTrailingSlashes } from '../../platform/kit/trailing-slashes.ts'
import { version } from '../../platform/kit/version.ts'
import { capabilityPages } from '../../service/capabilities.ts'
import { endpoints } from '../../service/endpoints.ts'
import { UsageError } from '../command-error.ts'
import { parseFlags, rejectWords } from '../terminal/parse-flags.ts'

/** `latchkey openapi`: writes the OpenAPI document to standard output. Needs no settings. */
export function openapi(args: string[]): void {
  const { values, positionals } = parseFlags('openapi', args, { 'base-path': { type: 'string' } })
  rejectWords('openapi', positionals)
  const given = values['base-path'] ?? ''
  if (given !== '' && !given.startsWith('/')) {
    throw new UsageError('openapi: --base-path must begin with a slash, as in /auth')
  }
  // Paths begin with a slash and are appended to it.
  const basePath = withoutTrailingSlashes(given)
  const document = openApiDocument(endpoints, { version, basePath, pages: capabilityPages })
  process.stdout.write(`${JSON.stringify(document, null, 2)}\n`)
}
