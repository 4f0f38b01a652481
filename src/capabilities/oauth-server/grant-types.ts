import type { Config } from '../../platform/config/config.ts'

/** The grants of every client. @see RFC 6749 §4.1, §6 */
export const commonGrants = ['authorization_code', 'refresh_token'] as const

/** Returns the grants that the configuration enables. */
export const enabledGrants = ({ oauthServer }: Pick<Config, 'oauthServer'>): readonly string[] => [
  ...commonGrants,
  ...(oauthServer.clientCredentials.enabled ? ['client_credentials'] : []),
]
