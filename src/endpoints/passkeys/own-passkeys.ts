import { factorNotice } from '../../accounts/acts/change-notices.ts'
import { event } from '../../accounts/acts/event-rows.ts'
import { performAct } from '../../accounts/acts/record-act.ts'
import type { AuthContext, TransactionContext } from '../../accounts/auth-context.ts'
import type { Caller } from '../../accounts/callers/authenticate-caller.ts'
import { withLockedCaller } from '../../accounts/callers/with-locked-user.ts'
import type { Passkey } from '../../accounts/passkeys/passkey.ts'
import { lastPasskeyNotDeletable, passkeyNotFound } from '../../accounts/passkeys/passkey-errors.ts'
import { deletePasskey, findPasskeys, renamePasskey } from '../../accounts/passkeys/passkeys.sql.ts'
import { isInUse, type User } from '../../accounts/users/user.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import { requireMayManage, requirePasskeyId, requirePasskeys } from './require-passkeys.ts'

/**
 * Lists the caller's passkeys, the oldest first.
 *
 * @throws AuthError `passkey_disabled` (404).
 */
export async function listOwnPasskeys(ctx: AuthContext, { user }: Caller): Promise<Passkey[]> {
  requirePasskeys(ctx)
  return findPasskeys(ctx.sql, user.id)
}

const maxNameBytes = 120

/**
 * Renames one of the caller's passkeys. The response does not distinguish another user's passkey
 * from an unknown one.
 *
 * @throws AuthError `passkey_disabled` (404), `validation_failed` (400, or 404 for a passkey that
 *   the caller does not have).
 */
export async function renameOwnPasskey(
  ctx: AuthContext,
  { user }: Caller,
  passkeyId: string,
  friendlyName = '',
): Promise<Passkey> {
  requirePasskeys(ctx)
  if (friendlyName === '') throw validationFailed('friendly_name is required')
  if (Buffer.byteLength(friendlyName) > maxNameBytes) {
    throw validationFailed('friendly_name must be 120 characters or less')
  }
  const id = requirePasskeyId(passkeyId)
  const change = { userId: user.id, passkeyId: id, friendlyName, now: ctx.clock.now() }
  const audit = { action: 'passkey_updated', actorId: user.id, traits: { passkey_id: id } } as const
  const renamed = await performAct(ctx, { audit }, ({ auditRows }) =>
    renamePasskey(ctx.sql, { ...change, auditRows }),
  )
  if (!renamed) throw passkeyNotFound()
  return renamed
}

/**
 * Removes one of the caller's passkeys. Sessions that it opened stay.
 *
 * @throws AuthError `passkey_disabled` (404), `session_not_found` for a token without a session,
 *   `insufficient_aal` (403), `validation_failed` (404) for a passkey that the caller does not
 *   have, `single_identity_not_deletable` (422) for the last one of a user who could not sign in
 *   without it.
 */
export async function deleteOwnPasskey(
  ctx: AuthContext,
  caller: Caller,
  passkeyId: string,
): Promise<void> {
  requirePasskeys(ctx)
  requireMayManage(caller)
  const id = requirePasskeyId(passkeyId)
  await withLockedCaller(ctx, caller, async (tx, current) => {
    requireMayManage(current)
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
 * A user with an address can request a code, and one with an identity can sign in at its provider.
 */
async function requireOtherWayIn(
  { sql }: TransactionContext,
  { id, email, phone, identities }: User,
  passkeyId: string,
): Promise<void> {
  if (email !== null || phone !== null || identities.some(isInUse)) return
  const passkeys = await findPasskeys(sql, id)
  if (!passkeys.some((passkey) => passkey.id === passkeyId)) return
  const others = passkeys.filter((passkey) => passkey.id !== passkeyId)
  if (!others.some(isInUse)) throw lastPasskeyNotDeletable()
}
