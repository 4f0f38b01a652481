import { parseInstant } from '../../platform/kit/instant.ts'

const earliest = new Date(0)
const latest = new Date('9999-12-31T23:59:59.999Z')

/**
 * Parses a point in time in PostgreSQL's JSON. Values outside the representable years become the
 * first or last of them: a ban until `infinity` must remain in effect.
 */
export function readSourceInstant(text: string | null | undefined): Date | null {
  if (text === null || text === undefined) return null
  const isZoned = /(Z|[+-]\d\d(:?\d\d){0,2})$/.test(text)
  const at = parseInstant(isZoned ? text : `${text}Z`)
  if (at) return at
  return text.startsWith('-') || text.endsWith('BC') ? earliest : latest
}
