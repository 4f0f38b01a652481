import { scopeMissing } from '../../credentials/access-tokens/access-token-errors.ts'

/** The scopes that the token of an OAuth client needs. */
export interface RequiredScopes {
  /**
   * Accepts tokens of OAuth clients, too, if they contain these scopes: one, or a list of which
   * all are required. Tokens of the user's own sessions are not limited by scopes. Default: tokens
   * of clients are rejected.
   */
  scope?: string | readonly string[] | undefined
}

/**
 * Returns the scopes of a token.
 *
 * @param required the scopes that it has to contain: one, several separated by spaces, or a list.
 * @throws AuthError `insufficient_scope` (403).
 * @throws TypeError for a value that is neither: if it were ignored, every token would be accepted.
 */
export function requireScopes(
  scope: unknown,
  required: string | readonly string[] | undefined,
): string[] {
  const granted = typeof scope === 'string' ? scope.split(' ').filter((one) => one !== '') : []
  if (readScopes(required).every((one) => granted.includes(one))) return granted
  throw scopeMissing()
}

/** Reads an option with scopes. @throws TypeError. */
export function readScopes(required: unknown): string[] {
  if (required === undefined) return []
  const names = [required]
    .flat()
    .flatMap((one) => (typeof one === 'string' ? one.split(' ') : ['']))
  if (names.length > 0 && !names.includes('')) return names
  throw new TypeError('scope must be a scope, or a list of scopes')
}
