import type { Seconds } from './values.ts'

/** Anonymous users, who use the application before they sign up. */
export interface AnonymousUsersConfig {
  /** Sign-in without an address or password. Default false. */
  enabled?: boolean | undefined
  /**
   * Deletes anonymous users without activity for this time, with all their data; at least a day.
   * Default 0: none.
   */
  staleAfterSeconds?: Seconds | undefined
}

export interface ResolvedAnonymousUsers {
  enabled: boolean
  staleAfterSeconds: number
}

/** User names, which sign in beside email and phone. */
export interface UsernamesConfig {
  /** Sign-up, sign-in and changes accept user names. Default false. */
  enabled?: boolean | undefined
  /** Users can change their name. Default true. A user without a name can always choose one. */
  changeEnabled?: boolean | undefined
  /** Names, and all that look the same, that only operators can give. Default: `admin` and others. */
  reserved?: readonly string[] | undefined
}

export interface ResolvedUsernames {
  enabled: boolean
  changeEnabled: boolean
  reserved: readonly string[]
}
