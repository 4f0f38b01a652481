import type { Clock } from '../../platform/kit/clock.ts'
import type { Logger } from '../../platform/observability/logger.ts'

/**
 * The counters of codes sent by SMS. Fixed codes for tests are not counted, since they are not
 * sent.
 */
export interface SmsTraffic {
  noteSent(phone: string): void
  noteVerified(phone: string): void
}

interface Needs {
  clock: Clock
  logger: Logger
}

/** The counts of one region, from `startsAt` for the duration of a slot. */
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

/** The minimum of sent codes: fewer prove nothing, and a higher limit would delay the warning. */
const leastSent = 20
/** The expected share of used codes, which is higher for legitimate requests. */
const leastShareVerified = 0.25

/**
 * Warns of toll fraud: an attacker requests codes for numbers that earn a share of the fee, and
 * does not use them. It compares, for each country, the used and sent codes of an hour, and warns
 * at most once an hour.
 *
 * Each process counts its own codes. With several, each sees a part with the same proportion.
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

/** Returns the slots in the window, including the current one. */
function currentSlots(slots: readonly Slot[], now: number): Slot[] {
  const startsAt = now - (now % slotMs)
  const recent = slots.filter((slot) => slot.startsAt > now - windowMs)
  const hasNow = recent.at(-1)?.startsAt === startsAt
  return hasNow ? recent : [...recent, { startsAt, sent: 0, verified: 0 }]
}

const latest = ({ slots }: Region): Slot => slots.at(-1) as Slot

/** Excludes the current slot, whose codes are too recent to have been used. */
const countsOf = ({ slots }: Region) => ({
  sent: slots.slice(0, -1).reduce((sum, slot) => sum + slot.sent, 0),
  verified: slots.reduce((sum, slot) => sum + slot.verified, 0),
})

/**
 * The calling codes of one and two digits; all others have three. `+1` includes many countries,
 * some with high fees, that only the area code distinguishes.
 *
 * @see ITU-T E.164, list of assigned country codes
 */
const region = /^(?:1\d{0,3}|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{1,3})/

/** Returns the country, or part of one, of a number: `+49`, `+1242`. */
export const callingRegion = (phone: string): string => `+${region.exec(phone)?.[0] ?? ''}`
