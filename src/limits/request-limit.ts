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
  web3: number | null
  passkey: number | null
  otp: number | null
  verify: number | null
  challengeAndVerify: number | null
  anonymousUsers: number | null
  subscribePages: number | null
}

const burst = 30

/** The time that a setting counts requests in. */
const perSeconds = {
  tokenRefresh: 300,
  web3: 300,
  passkey: 300,
  otp: 300,
  verify: 300,
  challengeAndVerify: 60,
  anonymousUsers: 3600,
  subscribePages: 300,
} as const satisfies Record<keyof LimitSettings, number>

/** The setting that each limit is made from. */
export const settingOf = {
  token: 'tokenRefresh',
  authorize: 'tokenRefresh',
  callback: 'tokenRefresh',
  web3: 'web3',
  passkey_options: 'passkey',
  passkey_verify: 'passkey',
  signup: 'otp',
  anonymous: 'anonymousUsers',
  update_user: 'otp',
  delete_user: 'otp',
  otp: 'otp',
  magiclink: 'otp',
  recover: 'otp',
  resend: 'otp',
  verify: 'verify',
  factor_enroll: 'challengeAndVerify',
  factor_challenge: 'challengeAndVerify',
  factor_verify: 'challengeAndVerify',
  subscribe_pages: 'subscribePages',
} as const satisfies Record<string, keyof LimitSettings>

export const limitNames = Object.keys(settingOf) as LimitName[]

/**
 * A limit as configured: a number of requests in five minutes, or in one, 30 of them at once; of anonymous sign-ins, a
 * number in an hour, all of them at once.
 */
export function requestLimit(settings: LimitSettings, name: LimitName): RequestLimit | null {
  const setting = settingOf[name]
  const count = settings[setting]
  if (count === null) return null
  return {
    burst: setting === 'anonymousUsers' ? count : burst,
    refillPerSecond: count / perSeconds[setting],
  }
}
