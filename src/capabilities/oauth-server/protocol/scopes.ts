import type { Config } from '../../../platform/config/config.ts'
import { standardScopes } from '../../../platform/kit/standard-scopes.ts'

/** @see RFC 6749 §3.3 */
export const isScopeName = (name: unknown): name is string =>
  typeof name === 'string' && name.length <= 100 && /^[!#-[\]-~]+$/.test(name)

interface Needs {
  config: Pick<Config, 'oauthServer'>
  /** Whether the key that signs is not a shared secret. */
  hasKeyPair: boolean
}

/**
 * Returns the scopes that clients may request. ID tokens are never signed with a shared secret, so
 * `openid` requires another key.
 */
export const supportedScopes = ({ config, hasKeyPair }: Needs): string[] => [
  ...standardScopes.filter((scope) => scope !== 'openid' || hasKeyPair),
  ...Object.keys(config.oauthServer.scopes),
]
