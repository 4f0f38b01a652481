import { event } from '../../accounts/acts/event-rows.ts'
import { performAct } from '../../accounts/acts/record-act.ts'
import type { AuthContext } from '../../accounts/auth-context.ts'
import {
  type Admin,
  requireMayChangeCredentials,
} from '../../accounts/callers/authenticate-admin.ts'
import { presentPasskey } from '../../accounts/passkeys/passkey.ts'
import { passkeyNotFound } from '../../accounts/passkeys/passkey-errors.ts'
import { deletePasskey, findPasskeys } from '../../accounts/passkeys/passkeys.sql.ts'
import { Answer } from '../../platform/http/answer.ts'
import { isUuid } from '../../platform/kit/uuid.ts'
import { implement } from '../http/implement.ts'
import { deletePasskeyByIdEndpoint, listPasskeysByIdEndpoint } from './admin-passkeys.endpoint.ts'
import { requireUserById } from './find-user.ts'

export const adminPasskeysRoutes = [
  implement(listPasskeysByIdEndpoint, {
    // Also where passkeys are disabled.
    run: async ({ ctx, ids }) => findPasskeys(ctx.sql, (await requireUserById(ctx, ids.userId)).id),
    present: (passkeys) => passkeys.map(presentPasskey),
  }),
  implement(deletePasskeyByIdEndpoint, {
    run: ({ ctx, admin, ids }) => removeUserPasskey(ctx, admin, ids),
    present: () => new Answer(204),
  }),
] as const

/**
 * Removes a passkey, for example a lost one. Sessions that it opened stay.
 *
 * @throws AuthError `user_not_found`, `validation_failed` (404) for a passkey that the user does
 *   not have, `reauthentication_needed` (403) for the operator's own one without a recent proof of
 *   a factor.
 */
async function removeUserPasskey(
  ctx: AuthContext,
  admin: Admin,
  { userId, passkeyId }: { userId: string; passkeyId: string },
): Promise<void> {
  const { id } = await requireUserById(ctx, userId)
  requireMayChangeCredentials(ctx, admin, id)
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
