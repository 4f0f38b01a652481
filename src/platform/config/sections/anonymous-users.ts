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
