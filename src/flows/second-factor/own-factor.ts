import type { Config } from '../../config/config.ts'
import { AuthError } from '../../errors/auth-error.ts'
import { validationFailed } from '../../errors/request-errors.ts'
import { factorNotFound } from '../../factors/factor-errors.ts'
import { isUuid } from '../../kit/uuid.ts'
import { sessionNotFound } from '../../sessions/session-errors.ts'
import type { Caller } from '../../steps/authenticate-caller.ts'
import type { Factor } from '../../users/account.ts'

/**
 * A factor of the caller's own. Somebody else's is not told from one that never was.
 *
 * @throws AuthError `no_authorization` (403) for an anonymous visitor, `validation_failed` (404) for what
 *   is no UUID, `mfa_factor_not_found` (404).
 */
export function requireOwnFactor(caller: Caller, factorId: string): Factor {
  requireRegistered(caller)
  if (!isUuid(factorId)) throw validationFailed('factor_id must be an UUID', 404)
  const factor = caller.account.factors.find(({ id }) => id === factorId.toLowerCase())
  if (!factor) throw factorNotFound()
  return factor
}

/** Second factors are for those who have a first one. By the token: who became somebody gets a new one. */
export function requireRegistered({ claims }: Caller): void {
  if (claims.is_anonymous === true) throw anonymousNotAllowed()
}

/** What a second factor strengthens is the session of its token, so there has to be one. */
export function requireSessionId({ session }: Caller): string {
  if (!session) throw sessionNotFound()
  return session.id
}

/** Security keys cannot be used yet, whatever the configuration says. */
export const canVerify = ({ mfa }: Config, { factorType }: Factor): boolean =>
  factorType !== 'webauthn' && mfa[factorType].verifyEnabled

const anonymousNotAllowed = (): AuthError =>
  new AuthError('no_authorization', 403, 'Anonymous user not allowed to perform these actions')
