import type { Config } from './config.ts'

/** Returns the issuer of tokens. @see RFC 8414 §2 */
export const issuerOf = ({ jwt, externalUrl }: Pick<Config, 'jwt' | 'externalUrl'>): string =>
  jwt.issuer ?? externalUrl
