import type { Clock } from '../../platform/kit/clock.ts'
import type { Logger } from '../../platform/observability/logger.ts'

/** What happens to codes by SMS. Fixed codes for tests are none of it: nothing is sent. */
export interface SmsTraffic {
  noteSent(phone: string): void
  noteVerified(phone: string): void
}

interface Needs {
  clock: Clock
  logger: Logger
}

/** What happened in one region from `startsAt` on, for as long as a slot lasts. */
interface Slot {
  startsAt: number
  sent: number
  verified: number
}

interface Region {
  slots: Slot[]
  warnedAt: number
}

const minute = 60_000
const slotMs = 5 * minute
const windowMs = 60 * minute

/** Fewer prove nothing; more would have cost too much before anybody is told. */
const leastSent = 20
/** People who ask for a code mostly use it. */
const leastShareVerified = 0.25

/**
 * Warns of toll fraud: somebody has codes sent to numbers that earn them a share of the fee, and has no
 * use for the codes. So it looks, for each country, at how many of an hour's codes were used, and warns
 * at most once in an hour.
 *
 * Counted in this process alone. With several, each sees its part, in which the proportion is the same.
 */
export function watchSmsTraffic({ clock, logger }: Needs): SmsTraffic {
  const regions = new Map<string, Region>()
  const regionOf = (name: string, now: number): Region => {
    const { slots, warnedAt } = regions.get(name) ?? { slots: [], warnedAt: -windowMs }
    const region = { slots: currentSlots(slots, now), warnedAt }
    regions.set(name, region)
    return region
  }
  return {
    noteSent: (phone) => {
      const [name, now] = [callingRegion(phone), clock.now().getTime()]
      const region = regionOf(name, now)
      latest(region).sent++
      const { sent, verified } = countsOf(region)
      const isOutOfLine = sent >= leastSent && verified < sent * leastShareVerified
      if (!isOutOfLine || now < region.warnedAt + windowMs) return
      region.warnedAt = now
      logger.warn({ destination: name, sent, verified, minutes: windowMs / minute }, warning)
    },
    noteVerified: (phone) => {
      latest(regionOf(callingRegion(phone), clock.now().getTime())).verified++
    },
  }
}

const warning =
  'hardly any of the codes sent by SMS to these numbers are used, which may be toll fraud: see docs/sms.md'

/** What lies in the window, with a slot for now at its end. */
function currentSlots(slots: readonly Slot[], now: number): Slot[] {
  const startsAt = now - (now % slotMs)
  const recent = slots.filter((slot) => slot.startsAt > now - windowMs)
  const hasNow = recent.at(-1)?.startsAt === startsAt
  return hasNow ? recent : [...recent, { startsAt, sent: 0, verified: 0 }]
}

const latest = ({ slots }: Region): Slot => slots.at(-1) as Slot

/** Codes of the running slot were sent too recently to have been used. */
const countsOf = ({ slots }: Region) => ({
  sent: slots.slice(0, -1).reduce((sum, slot) => sum + slot.sent, 0),
  verified: slots.reduce((sum, slot) => sum + slot.verified, 0),
})

/**
 * The calling codes of one and two digits; all others have three. Within `+1` lie many countries, islands
 * with dear numbers among them, and only the area code tells them apart.
 *
 * @see ITU-T E.164, list of assigned country codes
 */
const region = /^(?:1\d{0,3}|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{1,3})/

/** The country, or part of one, that a number belongs to: `+49`, `+1242`. */
export const callingRegion = (phone: string): string => `+${region.exec(phone)?.[0] ?? ''}`
