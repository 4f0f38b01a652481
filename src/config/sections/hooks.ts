/** The moments at which the application is asked or told. */
export type HookPoint =
  | 'mfaVerificationAttempt'
  | 'passwordVerificationAttempt'
  | 'customAccessToken'
  | 'sendEmail'
  | 'sendSms'
  | 'beforeUserCreated'
  | 'afterUserCreated'

/** A hook over HTTP, signed by Standard Webhooks. Naming a hook switches it on. */
export interface HookConfig {
  /** Default true for a hook that is named. */
  enabled?: boolean | undefined
  /** `https:`, `http:` to loopback and private hosts, or `pg-functions:`. */
  uri?: string | undefined
  /** `v1,whsec_…`; several, as an array or separated by `|`, make a rotation. */
  secrets?: string | readonly string[] | undefined
}

/** A hook in the same process: takes what an HTTP hook would be sent, answers what it would. */
export type HookFunction = (payload: Readonly<Record<string, unknown>>) => unknown

export interface ResolvedHook {
  enabled: boolean
  uri: string | null
  secrets: readonly string[]
  /** Set when the hook is a function; then there is no `uri`. */
  run: HookFunction | null
}
