/** So many at once, and then so many a second. */
export interface RequestLimit {
  burst: number
  refillPerSecond: number
}

/** What limits per client are kept for. Each has its own count. */
export type LimitName = keyof typeof settingOf

/** The settings that the limits are made from; null switches one off. */
export interface LimitSettings {
  tokenRefresh: number | null
  otp: number | null
  verify: number | null
}

const fiveMinutes = 300
const burst = 30

const settingOf = {
  token: 'tokenRefresh',
  signup: 'otp',
  update_user: 'otp',
  delete_user: 'otp',
  otp: 'otp',
  magiclink: 'otp',
  recover: 'otp',
  resend: 'otp',
  verify: 'verify',
} as const satisfies Record<string, keyof LimitSettings>

/** A limit as configured: a number of requests in five minutes, 30 of them at once. */
export function requestLimit(settings: LimitSettings, name: LimitName): RequestLimit | null {
  const count = settings[settingOf[name]]
  return count === null ? null : { burst, refillPerSecond: count / fiveMinutes }
}
