import { endpoints } from '../../endpoints.ts'
import { openApiDocument } from '../../http/openapi-document.ts'
import { version } from '../../kit/version.ts'
import { parseFlags, refuseWords } from '../parse-flags.ts'

/** `latchkey openapi`: writes the document to standard output. It needs no settings. */
export function openapi(args: string[]): void {
  const { values, positionals } = parseFlags('openapi', args, { 'base-path': { type: 'string' } })
  refuseWords('openapi', positionals)
  const document = openApiDocument(endpoints, { version, basePath: values['base-path'] ?? '' })
  process.stdout.write(`${JSON.stringify(document, null, 2)}\n`)
}
