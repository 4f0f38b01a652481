import { event } from '../../accounts/acts/event-rows.ts'
import { performAct } from '../../accounts/acts/record-act.ts'
import type { AuthContext } from '../../accounts/auth-context.ts'
import type { Admin } from '../../accounts/callers/authenticate-admin.ts'
import type { Passkey } from '../../accounts/passkeys/passkey.ts'
import { passkeyNotFound } from '../../accounts/passkeys/passkey-errors.ts'
import { deletePasskey, findPasskeys } from '../../accounts/passkeys/passkeys.sql.ts'
import { isUuid } from '../../platform/kit/uuid.ts'
import { requireUserById } from './find-user.ts'

/**
 * Lists a user's passkeys, the oldest first, also where passkeys are disabled.
 *
 * @throws AuthError `validation_failed` (404) for an invalid UUID, `user_not_found` (404).
 */
export async function listUserPasskeys(ctx: AuthContext, userId: string): Promise<Passkey[]> {
  const { id } = await requireUserById(ctx, userId)
  return findPasskeys(ctx.sql, id)
}

/**
 * Removes a passkey, for example a lost one. Sessions that it opened stay.
 *
 * @throws AuthError `validation_failed` (404) for an invalid UUID or a passkey that the user does
 *   not have, `user_not_found` (404).
 */
export async function removeUserPasskey(
  ctx: AuthContext,
  admin: Admin,
  { userId, passkeyId }: { userId: string; passkeyId: string },
): Promise<void> {
  const { id } = await requireUserById(ctx, userId)
  if (!isUuid(passkeyId)) throw passkeyNotFound()
  const about = { passkey_id: passkeyId.toLowerCase() }
  const act = {
    audit: { action: 'passkey_deleted', actorRole: admin.role, userId: id, traits: about },
    events: { userId: id, events: [event('passkey.removed', about)] },
  } as const
  const existed = await performAct(ctx, act, (rows) =>
    deletePasskey(ctx.sql, { userId: id, passkeyId, ...rows }),
  )
  if (!existed) throw passkeyNotFound()
}
