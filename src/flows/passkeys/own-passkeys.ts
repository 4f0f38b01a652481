import { auditNote } from '../../audit/audit-note.ts'
import type { AuthContext, TransactionContext } from '../../deps.ts'
import { validationFailed } from '../../errors/request-errors.ts'
import { deletePasskey } from '../../passkeys/delete-passkey.sql.ts'
import { findPasskeys } from '../../passkeys/find-passkeys.sql.ts'
import type { Passkey } from '../../passkeys/passkey.ts'
import { lastPasskeyNotDeletable, passkeyNotFound } from '../../passkeys/passkey-errors.ts'
import { renamePasskey } from '../../passkeys/rename-passkey.sql.ts'
import { joinRows, rowsOf } from '../../sql/tables.ts'
import { type Caller, requireCaller } from '../../steps/authenticate-caller.ts'
import { factorNotice } from '../../steps/change-notices.ts'
import { eventRows, happened, tellEvents } from '../../steps/event-rows.ts'
import { outboxRows } from '../../steps/outbox-rows.ts'
import { withLockedUser } from '../../steps/with-locked-user.ts'
import type { User } from '../../users/user.ts'
import { requireMayManage, requirePasskeyId, requirePasskeys } from './require-passkeys.ts'

/**
 * The caller's passkeys, the oldest first.
 *
 * @throws AuthError `passkey_disabled` (404).
 */
export async function listOwnPasskeys(ctx: AuthContext, { user }: Caller): Promise<Passkey[]> {
  requirePasskeys(ctx)
  return findPasskeys(ctx.sql, user.id)
}

const maxNameBytes = 120

/**
 * Renames one of the caller's passkeys. Somebody else's is not told from one that never was.
 *
 * @throws AuthError `passkey_disabled` (404), `validation_failed` (400, or 404 for no passkey of the caller).
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
  const note = auditNote(ctx, {
    action: 'passkey_updated',
    actorId: user.id,
    traits: { passkey_id: id },
  })
  const renamed = await renamePasskey(ctx.sql, {
    userId: user.id,
    passkeyId: id,
    friendlyName,
    now: ctx.clock.now(),
    auditRows: note.rows,
  })
  if (!renamed) throw passkeyNotFound()
  note.log()
  return renamed
}

/**
 * Removes one of the caller's passkeys. Sessions that it opened stay.
 *
 * @throws AuthError `passkey_disabled` (404), `session_not_found` for a token without a session, `insufficient_aal`
 *   (403), `validation_failed` (404) for no passkey of the caller, `single_identity_not_deletable` (422) for the last
 *   one of somebody who could not sign in without it.
 */
export async function deleteOwnPasskey(
  ctx: AuthContext,
  caller: Caller,
  passkeyId: string,
): Promise<void> {
  requirePasskeys(ctx)
  requireMayManage(caller)
  const id = requirePasskeyId(passkeyId)
  const note = auditNote(ctx, {
    action: 'passkey_deleted',
    actorId: caller.user.id,
    traits: { passkey_id: id },
  })
  const isTold = await withLockedUser(ctx, caller.user.id, async (tx) => {
    const current = await requireCaller(tx, caller.claims)
    requireMayManage(current)
    await requireOtherWayIn(tx, current.user, id)
    const notices = factorNotice(tx, 'mfaFactorUnenrolled', current.user, 'webauthn')
    const news = eventRows(tx, current.user.id, [happened('passkey.removed', { passkey_id: id })])
    const existed = await deletePasskey(tx.sql, {
      userId: current.user.id,
      passkeyId: id,
      messageRows: joinRows(rowsOf('outbox_messages', ...outboxRows(tx, notices)), news),
      auditRows: note.rows,
    })
    if (!existed) throw passkeyNotFound()
    return notices.length > 0
  })
  note.log()
  if (isTold) ctx.outbox.wake()
  tellEvents(ctx)
}

/** Whoever has an address can ask for a code, and whoever has an identity can come back from there. */
async function requireOtherWayIn(
  { sql }: TransactionContext,
  { id, email, phone, identities }: User,
  passkeyId: string,
): Promise<void> {
  if (email !== null || phone !== null || identities.length > 0) return
  const [first, second] = await findPasskeys(sql, id)
  if (first?.id === passkeyId && !second) throw lastPasskeyNotDeletable()
}
