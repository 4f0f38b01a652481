/** So many at once, and then so many a second. */
export interface RequestLimit {
  burst: number
  refillPerSecond: number
}

/** What limits per client are kept for. Each has its own count. */
export type LimitName = 'token' | 'signup' | 'update_user'

/** The settings that the limits are made from; null switches one off. */
export interface LimitSettings {
  tokenRefresh: number | null
  otp: number | null
}

const fiveMinutes = 300
const burst = 30

/** The limits as configured: a number of requests in five minutes, 30 of them at once. */
export const requestLimits = (settings: LimitSettings): Record<LimitName, RequestLimit | null> => ({
  token: perFiveMinutes(settings.tokenRefresh),
  signup: perFiveMinutes(settings.otp),
  update_user: perFiveMinutes(settings.otp),
})

const perFiveMinutes = (count: number | null): RequestLimit | null =>
  count === null ? null : { burst, refillPerSecond: count / fiveMinutes }
