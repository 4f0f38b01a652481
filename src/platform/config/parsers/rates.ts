import type { Limit } from '../sections/rate-limits.ts'
import type { Rate, RateText } from '../sections/values.ts'
import { isWhole, maxSeconds, secondsIn } from './numbers.ts'
import { fails, type Parser, reads } from './parser.ts'

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
