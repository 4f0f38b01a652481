import type { Seconds } from './values.ts'

/**
 * Latchkey as an OAuth 2.1 server for other applications. Not built yet: no effect, and a warning
 * at start.
 */
export interface OauthServerConfig {
  /** Default false. */
  enabled?: boolean | undefined
  /** Applications may register themselves. Default false. */
  allowDynamicRegistration?: boolean | undefined
  /** Path of the consent page, on `siteUrl`. */
  authorizationPath?: string | undefined
  /** The time in which a user may consent. Default 600. */
  authorizationLifetimeSeconds?: Seconds | undefined
  /** The scope of a request without one. Default `email`. */
  defaultScope?: string | undefined
}

export interface ResolvedOauthServer {
  enabled: boolean
  allowDynamicRegistration: boolean
  authorizationPath: string | null
  authorizationLifetimeSeconds: number
  defaultScope: string
}
