import { parseDuration } from '../../kit/time-formats.ts'
import type { Limit } from '../sections/rate-limits.ts'
import type { WorkerCount } from '../sections/server.ts'
import type { Rate, RateText } from '../sections/values.ts'
import { fails, type Parser, type Reading, reads } from './parser.ts'

interface Range {
  min?: number
  max?: number
  /**
   * The value used in place of a number outside the range, with a warning. Without it such a number
   * is rejected. A negative number is always rejected.
   */
  outside?: number
}

/**
 * A whole number.
 *
 * @param name the name in the documentation, such as `bytes`.
 */
export function integer(name = 'number', range: Range = {}): Parser<number, number> {
  const mustBe = `must be a whole number${rangeText(range)}`
  return {
    name,
    emptyMeansAbsent: false,
    parse: (text) => (/^\s*[+-]?\d{1,15}\s*$/.test(text) ? reads(Number(text)) : fails(mustBe)),
    check: (given) => (isWhole(given) ? within(given, range, mustBe) : fails(mustBe)),
  }
}

/**
 * A number from 0 to 1.
 *
 * @param name the name in the documentation, such as `score`.
 */
export function fraction(name: string): Parser<number, number> {
  const mustBe = 'must be a number from 0 to 1'
  return {
    name,
    emptyMeansAbsent: false,
    parse: (text) => (/^\s*\d*\.?\d+\s*$/.test(text) ? reads(Number(text)) : fails(mustBe)),
    check: (given) =>
      typeof given === 'number' && given >= 0 && given <= 1 ? reads(given) : fails(mustBe),
  }
}

export const port = integer('port', { min: 0, max: 65_535 })

/** A number of processes, or `auto`. More than 128 are a mistake, and would exhaust the machine. */
export const workerCount: Parser<WorkerCount, WorkerCount> = {
  name: 'number, `auto`',
  emptyMeansAbsent: true,
  parse: (text) => workerCount.check(/^\s*\d{1,4}\s*$/.test(text) ? Number(text) : text.trim()),
  check: (given) => {
    if (given === 'auto') return reads(given)
    return isWhole(given) && given >= 1 && given <= 128
      ? reads(given)
      : fails('must be a whole number from 1 to 128, or auto')
  },
}

/** 100 years. A later instant may exceed the range of dates. */
const maxSeconds = 3_155_760_000

interface TimeRange extends Range {
  /** Rejects fractions of a second. */
  whole?: boolean
}

/** A time: a number of seconds, or a text such as `90`, `15m`, `1h30m`, `500ms`. */
export function seconds({
  whole = false,
  ...range
}: TimeRange = {}): Parser<number, number | string> {
  const number = whole ? 'a whole number of seconds' : 'a number of seconds'
  const mustBe = `must be ${number}${rangeText(range)}, or a time such as 90s, 15m or 1h30m`
  return {
    name: 'seconds',
    emptyMeansAbsent: false,
    parse: reads,
    check: (given) => {
      const time = typeof given === 'string' ? secondsIn(given) : given
      const fits = whole ? isWhole(time) : Number.isFinite(time)
      if (!fits) return fails(mustBe)
      if ((time as number) > maxSeconds) return fails(`must be at most ${maxSeconds} seconds`)
      return within(time as number, { min: 0, ...range }, mustBe)
    },
  }
}

/**
 * Returns the number of seconds; a number without unit is in seconds. Null if the text is not a
 * duration.
 */
function secondsIn(text: string): number | null {
  const time = text.trim()
  if (/^[+-]?\d+(?:\.\d+)?$/.test(time)) return Number(time)
  const milliseconds = parseDuration(time)
  return milliseconds === null ? null : milliseconds / 1000
}

const isWhole = (value: unknown): value is number => Number.isSafeInteger(value)

function within(number: number, { min, max, outside }: Range, mustBe: string): Reading<number> {
  if (number >= (min ?? number) && number <= (max ?? number)) return reads(number)
  if (outside === undefined || number < 0) return fails(mustBe)
  return { value: outside, warning: `${mustBe}: ${outside} is used instead of ${number}` }
}

function rangeText({ min, max }: Range): string {
  if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`
  if (min !== undefined) return ` of at least ${min}`
  return max === undefined ? '' : ` of at most ${max}`
}

const secondsPerHour = 3600

/** The number of events that the whole service may cause: `30` (per hour), `30/15m`, or `off`. */
export const rate: Parser<Rate | null, RateText> = {
  name: 'rate',
  emptyMeansAbsent: false,
  parse: reads,
  check: (given) => {
    if (isOff(given)) return reads(null)
    const found = rateIn(String(given))
    return found ? reads(found) : fails('must be a number an hour, a rate such as 30/15m, or off')
  },
}

/** The number of requests of one client in the period of the setting; `off` disables the limit. */
export const limit: Parser<number | null, Limit> = {
  name: 'limit',
  emptyMeansAbsent: false,
  parse: (text) => {
    if (isOff(text)) return reads('off')
    return /^\s*\d{1,15}\s*$/.test(text) ? reads(Number(text)) : fails(limitRule)
  },
  check: (given) => {
    if (isOff(given)) return reads(null)
    return isWhole(given) && given >= 0 ? reads(given) : fails(limitRule)
  },
}

const limitRule = 'must be a whole number, or off'

const isOff = (given: unknown) => typeof given === 'string' && given.trim().toLowerCase() === 'off'

function rateIn(text: string): Rate | null {
  const [, count, time] = /^\s*(\d{1,15})(?:\/(.+))?$/.exec(text) ?? []
  if (count === undefined) return null
  const perSeconds = time === undefined ? secondsPerHour : secondsIn(time)
  const isTime = perSeconds !== null && perSeconds > 0 && perSeconds <= maxSeconds
  return isTime ? { count: Number(count), perSeconds } : null
}

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
