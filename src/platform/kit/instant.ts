/** `2021-03-04T05:06:07.089Z`; also with a space, as PostgreSQL writes it, and an offset of hours alone. */
const form =
  /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d(?:\.\d{1,9})?) ?(?:[Zz]|([+-]\d\d)(?::?([0-5]\d))?)$/

/**
 * A point in time that databases and the wire can spell: from the year 1 to 9999.
 *
 * @returns null for what is none, or is in another form.
 * @see RFC 3339 §5.6
 */
export function parseInstant(text: string): Date | null {
  const [, day, time, hours = '+00', minutes = '00'] = form.exec(text) ?? []
  if (day === undefined) return null
  const at = new Date(`${day}T${time}${hours}:${minutes}`)
  const isSpelled = !Number.isNaN(at.getTime()) && /^\d{4}-/.test(at.toISOString())
  return isSpelled && at.getUTCFullYear() > 0 && hasDay(day) ? at : null
}

/**
 * An instant as the wire has it, to the millisecond and in UTC: `2021-03-04T05:06:07.089Z`. What the
 * database says in UTC differs from that by its end alone, and `toISOString` takes its time.
 *
 * @param text a stored instant, in any form that a date can be made of.
 */
export function wireInstant(text: string): string {
  const zoneLength = text.endsWith('+00:00') ? 6 : text.endsWith('Z') ? 1 : 0
  const hasYearOfFourDigits = text[10] === 'T'
  if (zoneLength === 0 || !hasYearOfFourDigits) return new Date(text).toISOString()
  const millis = text.slice(20, -zoneLength).slice(0, 3).padEnd(3, '0')
  return `${text.slice(0, 19)}.${millis}Z`
}

/** JavaScript takes the 31st of June for the first of July. */
const hasDay = (day: string): boolean => new Date(day).toISOString().startsWith(day)
