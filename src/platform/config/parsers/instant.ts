import { fails, type Parser, reads } from './parser.ts'

const form = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/

/** A point in time. @see RFC 3339 §5.6 */
export const instant: Parser<Date, string | Date> = {
  name: 'time',
  emptyMeansAbsent: true,
  parse: (text) => reads(text.trim()),
  check: (given) => {
    const isTime = given instanceof Date || (typeof given === 'string' && form.test(given))
    const at = new Date(isTime ? given : Number.NaN)
    return Number.isNaN(at.getTime())
      ? fails('must be a time such as 2030-01-31T12:00:00Z')
      : reads(at)
  },
}
