/** A burst of requests that is allowed at once, and the rate at which it refills. */
export interface RequestLimit {
  burst: number
  refillPerSecond: number
}

/** The purposes of limits per client. Each has its own count. */
export type LimitName = keyof typeof settingOf

/** The settings of the limits; null disables one. */
export interface LimitSettings {
  tokenRefresh: number | null
  web3: number | null
  passkey: number | null
  otp: number | null
  verify: number | null
  challengeAndVerify: number | null
  anonymousUsers: number | null
  subscribePages: number | null
  oauthDynamicClientRegister: number | null
}

const burst = 30

/** The period of each setting, in seconds. */
const perSeconds = {
  tokenRefresh: 300,
  web3: 300,
  passkey: 300,
  otp: 300,
  verify: 300,
  challengeAndVerify: 60,
  anonymousUsers: 3600,
  subscribePages: 300,
  oauthDynamicClientRegister: 300,
} as const satisfies Record<keyof LimitSettings, number>

/** The setting of each limit. */
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
  oauth_register: 'oauthDynamicClientRegister',
  oauth_document: 'oauthDynamicClientRegister',
} as const satisfies Record<string, keyof LimitSettings>

export const limitNames = Object.keys(settingOf) as LimitName[]

/**
 * Returns a limit as configured: a number of requests in five minutes or in one minute, 30 of them
 * at once; for anonymous sign-ins a number per hour, all of them at once.
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
