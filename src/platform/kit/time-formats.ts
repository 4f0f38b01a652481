/** `2021-03-04T05:06:07.089Z`; also with a space, as in PostgreSQL, and an offset of hours only. */
const form =
  /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d(?:\.\d{1,9})?) ?(?:[Zz]|([+-]\d\d)(?::?([0-5]\d))?)$/

/**
 * Parses a point in time that databases and the wire can represent: from the year 1 to 9999.
 *
 * @returns null if the text is invalid or in another form.
 * @see RFC 3339 §5.6
 */
export function parseInstant(text: string): Date | null {
  const [, day, time, hours = '+00', minutes = '00'] = form.exec(text) ?? []
  if (day === undefined) return null
  const at = new Date(`${day}T${time}${hours}:${minutes}`)
  const isSpelled = !Number.isNaN(at.getTime()) && /^\d{4}-/.test(at.toISOString())
  return isSpelled && at.getUTCFullYear() > 0 && hasDay(day) ? at : null
}

/** The first and the last instant that the wire can represent. */
const firstInstant = new Date('0001-01-01T00:00:00Z')
export const lastInstant = new Date('9999-12-31T00:00:00Z')

/**
 * Reads an instant that PostgreSQL wrote. What the wire cannot represent becomes its first or last
 * instant: operators may ban until `infinity` with SQL.
 */
export function storedInstant(text: string): Date {
  const at = new Date(text)
  if (!Number.isNaN(at.getTime())) return at
  return text.startsWith('-') || text.endsWith('BC') ? firstInstant : lastInstant
}

/**
 * Formats an instant for the wire, to the millisecond and in UTC: `2021-03-04T05:06:07.089Z`. A UTC
 * value of the database differs in its end only, and `toISOString` is slower.
 *
 * @param text a stored instant, in any form that `Date` accepts.
 */
export function wireInstant(text: string): string {
  const zoneLength = text.endsWith('+00:00') ? 6 : text.endsWith('Z') ? 1 : 0
  const hasYearOfFourDigits = text[10] === 'T'
  if (zoneLength === 0 || !hasYearOfFourDigits) return storedInstant(text).toISOString()
  const millis = text.slice(20, -zoneLength).slice(0, 3).padEnd(3, '0')
  return `${text.slice(0, 19)}.${millis}Z`
}

/** Rejects days that do not exist: JavaScript reads the 31st of June as the first of July. */
const hasDay = (day: string): boolean => new Date(day).toISOString().startsWith(day)

const millisecondsPer: Record<string, number> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
}

const part = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)/g
const whole = /^[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|ms|s|m|h))+$/

/** The maximum length. Reading a megabyte of `1h1h1h` would take half a second. */
const maxLength = 100

/**
 * Parses a duration such as `1h30m`, `1.5h` or `300ms` into milliseconds; `0` needs no unit. Null
 * if it is invalid.
 */
export function parseDuration(text: string): number | null {
  if (/^[+-]?0$/.test(text)) return 0
  if (text.length > maxLength || !whole.test(text)) return null
  let total = 0
  for (const [, amount, unit] of text.matchAll(part)) {
    total += Number(amount) * (millisecondsPer[unit ?? ''] ?? 0)
  }
  return text.startsWith('-') ? -total : total
}
