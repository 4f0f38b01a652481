import type { AuthContext } from '../../accounts/auth-context.ts'
import {
  type Caller,
  needsStepUp,
  requireCaller,
} from '../../accounts/callers/authenticate-caller.ts'
import type { DeletionTerms } from '../../accounts/lifecycle/delete-person.sql.ts'
import { erasePerson } from '../../accounts/lifecycle/erase-person.ts'
import { strongSessionNeededToDelete } from '../../accounts/sessions/session-errors.ts'
import type { User } from '../../accounts/users/user.ts'
import {
  invalidCredentials,
  reauthenticationNeeded,
} from '../../credentials/passwords/password-errors.ts'
import { requireAttempt, takeOwnPasswordAttempt } from '../../limits/count-password-attempt.ts'
import { hashingTurn } from '../../limits/hashing-turn.ts'
import { conflict } from '../../platform/errors/request-errors.ts'
import type { Unread } from '../http/endpoint.ts'
import { requireNonce } from './require-nonce.ts'
import type { DeleteOwnUserInput } from './user.endpoint.ts'

/**
 * Erases the signed-in user, who proves anew who they are: by password, or by a nonce. Whoever has
 * neither password nor address, an anonymous user, has nothing but the session to prove it by.
 *
 * No message tells of it: to send one would keep the address.
 *
 * @throws AuthError `insufficient_aal` (403) where the user has a second factor and has not shown it,
 *   `reauthentication_needed`, `invalid_credentials` (400), `reauthentication_not_valid` (422),
 *   `over_request_rate_limit` (429), `session_not_found`, `user_banned` (403), `conflict` (409).
 */
export async function deleteOwnUser(
  ctx: AuthContext,
  caller: Caller,
  proof: Unread<DeleteOwnUserInput>,
): Promise<void> {
  // The factors go, too: a stolen password alone must not be rid of them.
  if (needsStepUp(caller)) throw strongSessionNeededToDelete()
  const { user, session } = caller
  const terms = await requireFreshProof(ctx, user, proof)
  const asking = { sessionId: session?.id ?? null, now: ctx.clock.now() }
  if (await erasePerson(ctx, user.id, { ...terms, asking })) return
  // The user signed out, was banned or deleted meanwhile; else the password was changed, or the nonce spent.
  await requireCaller(ctx, caller.claims)
  throw conflict('The user was changed meanwhile')
}

/** What has to be as it is now when the user is deleted. */
async function requireFreshProof(
  ctx: AuthContext,
  user: User,
  { password, nonce }: Unread<DeleteOwnUserInput>,
): Promise<DeletionTerms> {
  if (nonce) return { nonceTokenId: await requireNonce(ctx, user, nonce) }
  if (password) return { passwordHash: await requirePassword(ctx, user, password) }
  if (user.isAnonymous) return {}
  throw reauthenticationNeeded('Deletion requires reauthentication')
}

/** Counted with the passwords of sign-ins: a session gives nobody more of them to try. */
async function requirePassword(ctx: AuthContext, user: User, password: string): Promise<string> {
  const { found } = requireAttempt(ctx, await takeOwnPasswordAttempt(ctx, user))
  const passwordHash = found?.user.id === user.id ? found.passwordHash : null
  const isRight = await ctx.passwords.verify(
    passwordHash,
    password,
    hashingTurn(ctx, user.id, true),
  )
  if (passwordHash === null || !isRight) throw invalidCredentials()
  return passwordHash
}
