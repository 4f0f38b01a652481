import type { Deps } from '../../../accounts/auth-context.ts'
import type { Config } from '../../../platform/config/config.ts'
import { issuerOf } from '../../../platform/config/issuer-of.ts'
import { withoutTrailingSlashes } from '../../../platform/kit/trailing-slashes.ts'

/** Returns the base of the URLs of the OAuth server. */
export const baseOf = (config: Pick<Config, 'jwt' | 'externalUrl'>): string =>
  withoutTrailingSlashes(issuerOf(config))

/** Returns whether the key that signs is not a shared secret. */
export const hasKeyPair = ({ keys }: Pick<Deps, 'keys'>): boolean => keys.algorithm() !== 'HS256'
