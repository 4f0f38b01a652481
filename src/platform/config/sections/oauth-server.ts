import type { Seconds } from './values.ts'

/**
 * Signing people in to other applications: OAuth 2.1, with us as the server. Not built yet: no effect, and a warning at start.
 */
export interface OauthServerConfig {
  /** Default false. */
  enabled?: boolean | undefined
  /** Applications may register themselves. Default false. */
  allowDynamicRegistration?: boolean | undefined
  /** Path of the consent page, on `siteUrl`. */
  authorizationPath?: string | undefined
  /** How long a person may take to consent. Default 600. */
  authorizationLifetimeSeconds?: Seconds | undefined
  /** Scope of a request that names none. Default `email`. */
  defaultScope?: string | undefined
}

export interface ResolvedOauthServer {
  enabled: boolean
  allowDynamicRegistration: boolean
  authorizationPath: string | null
  authorizationLifetimeSeconds: number
  defaultScope: string
}
