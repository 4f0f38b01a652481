import { auditNote } from '../../audit/audit-note.ts'
import type { AuthContext } from '../../deps.ts'
import { isUuid } from '../../kit/uuid.ts'
import { deletePasskey } from '../../passkeys/delete-passkey.sql.ts'
import { findPasskeys } from '../../passkeys/find-passkeys.sql.ts'
import type { Passkey } from '../../passkeys/passkey.ts'
import { passkeyNotFound } from '../../passkeys/passkey-errors.ts'
import type { Admin } from '../../steps/authenticate-admin.ts'
import { eventRows, happened, tellEvents } from '../../steps/event-rows.ts'
import { requireUserById } from './require-user-by-id.ts'

/**
 * A user's passkeys, the oldest first, whether or not people sign in by passkey now.
 *
 * @throws AuthError `validation_failed` (404) for what is no UUID, `user_not_found` (404).
 */
export async function listUserPasskeys(ctx: AuthContext, userId: string): Promise<Passkey[]> {
  const { id } = await requireUserById(ctx, userId)
  return findPasskeys(ctx.sql, id)
}

/**
 * Removes a passkey, as for somebody who lost it. Sessions that it opened stay.
 *
 * @throws AuthError `validation_failed` (404) for what is no UUID, or no passkey of this user, `user_not_found` (404).
 */
export async function removeUserPasskey(
  ctx: AuthContext,
  admin: Admin,
  { userId, passkeyId }: { userId: string; passkeyId: string },
): Promise<void> {
  const { id } = await requireUserById(ctx, userId)
  if (!isUuid(passkeyId)) throw passkeyNotFound()
  const about = { passkey_id: passkeyId.toLowerCase() }
  const note = auditNote(ctx, {
    action: 'passkey_deleted',
    actorRole: admin.role,
    userId: id,
    traits: about,
  })
  const existed = await deletePasskey(ctx.sql, {
    userId: id,
    passkeyId,
    messageRows: eventRows(ctx, id, [happened('passkey.removed', about)]),
    auditRows: note.rows,
  })
  if (!existed) throw passkeyNotFound()
  note.log()
  tellEvents(ctx)
}
