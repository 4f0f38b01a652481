import { factorNotice } from '../../accounts/acts/change-notices.ts'
import { event } from '../../accounts/acts/event-rows.ts'
import { performAct } from '../../accounts/acts/record-act.ts'
import type { AuthContext, TransactionContext } from '../../accounts/auth-context.ts'
import { type Caller, requireStoredCaller } from '../../accounts/callers/authenticate-caller.ts'
import { withLockedCaller } from '../../accounts/callers/with-locked-user.ts'
import { lastPasskeyNotDeletable, passkeyNotFound } from '../../accounts/passkeys/passkey-errors.ts'
import { deletePasskey, findPasskeys } from '../../accounts/passkeys/passkeys.sql.ts'
import {
  hasConfirmedAddress,
  hasUsableIdentity,
  isInUse,
  type User,
} from '../../accounts/users/user.ts'
import { requireMayChangePasskeys, requirePasskeyId, requirePasskeys } from './require-passkeys.ts'

/**
 * Removes one of the caller's passkeys. Sessions that it opened stay.
 *
 * @throws AuthError `passkey_disabled` (404), `session_not_found` for a token without a session,
 *   `insufficient_aal`, `reauthentication_needed` (403), `validation_failed` (404) for a passkey
 *   that the caller does not have, `single_identity_not_deletable` (422) for the last one of a user
 *   who could not sign in without it.
 */
export async function deleteOwnPasskey(
  ctx: AuthContext,
  caller: Caller,
  passkeyId: string,
): Promise<void> {
  requirePasskeys(ctx)
  requireMayChangePasskeys(ctx, caller)
  const id = requirePasskeyId(passkeyId)
  await withLockedCaller(ctx, caller, async (tx, current) => {
    requireMayChangePasskeys(tx, current)
    await requireOtherWayIn(tx, current.user, id)
    const userId = current.user.id
    const about = { passkey_id: id }
    const act = {
      audit: { action: 'passkey_deleted', actorId: userId, traits: about },
      events: { userId, events: [event('passkey.removed', about)] },
      notices: factorNotice(tx, 'mfaFactorUnenrolled', current.user, 'webauthn'),
    } as const
    const existed = await performAct(tx, act, (rows) =>
      deletePasskey(tx.sql, { userId, passkeyId: id, ...rows }),
    )
    if (!existed) throw passkeyNotFound()
  })
}

/**
 * A user with a confirmed address can request a code, one with an identity can sign in at its
 * provider, and one with a user name by the password.
 */
async function requireOtherWayIn(
  ctx: TransactionContext,
  user: User,
  passkeyId: string,
): Promise<void> {
  if (hasConfirmedAddress(user) || hasUsableIdentity(user)) return
  if (user.username !== null) {
    const { stored } = await requireStoredCaller(ctx, { userId: user.id, sessionId: null })
    if (stored.passwordHash !== null) return
  }
  const passkeys = await findPasskeys(ctx.sql, user.id)
  if (!passkeys.some((passkey) => passkey.id === passkeyId)) return
  const others = passkeys.filter((passkey) => passkey.id !== passkeyId)
  if (!others.some(isInUse)) throw lastPasskeyNotDeletable()
}
