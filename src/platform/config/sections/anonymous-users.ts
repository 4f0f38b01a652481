import type { Seconds } from './values.ts'

/** People who use the application before they tell who they are. */
export interface AnonymousUsersConfig {
  /** Sign-in without an address or password. Default false. */
  enabled?: boolean | undefined
  /**
   * Deletes anonymous users of whom nothing was heard for so long, with all that belongs to them; at least a day. Default
   * 0: none.
   */
  staleAfterSeconds?: Seconds | undefined
}

export interface ResolvedAnonymousUsers {
  enabled: boolean
  staleAfterSeconds: number
}
