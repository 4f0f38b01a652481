import type { Config } from '../../../platform/config/config.ts'

/** The grants of every client. @see RFC 6749 §4.1, §6 */
export const commonGrants = ['authorization_code', 'refresh_token'] as const

/** @see RFC 8628 §3.4 */
export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'

/** @see RFC 8693 §2.1 */
export const tokenExchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange'

/** Returns the grants that the configuration enables. */
export const enabledGrants = ({ oauthServer }: Pick<Config, 'oauthServer'>): readonly string[] => [
  ...commonGrants,
  ...(oauthServer.deviceFlow.enabled ? [deviceGrant] : []),
  ...(oauthServer.clientCredentials.enabled ? ['client_credentials'] : []),
  ...(oauthServer.tokenExchange.enabled ? [tokenExchangeGrant] : []),
]
