import { performAct } from '../../accounts/acts/record-act.ts'
import type { AuthContext } from '../../accounts/auth-context.ts'
import type { Caller } from '../../accounts/callers/authenticate-caller.ts'
import type { Passkey } from '../../accounts/passkeys/passkey.ts'
import { passkeyNotFound } from '../../accounts/passkeys/passkey-errors.ts'
import { renamePasskey } from '../../accounts/passkeys/passkeys.sql.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import { requirePasskeyId, requirePasskeys } from './require-passkeys.ts'

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
