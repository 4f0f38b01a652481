import type { AuthContext } from '../../deps.ts'
import type { Caller } from '../../steps/authenticate-caller.ts'
import { type Departure, leaveForProvider } from '../../steps/leave-for-provider.ts'
import { requireMayLink } from '../../steps/link-identity.ts'

/**
 * Says where to send the browser of the signed-in user so that they link an account at a provider. Who comes back is
 * linked to this user, as long as the session lives.
 *
 * @throws AuthError `manual_linking_disabled` (404), `session_not_found`, `session_expired`, `insufficient_aal` (403),
 *   `validation_failed` (400) for a provider that is not there, or a code challenge that is none.
 */
export async function beginLinking(
  ctx: AuthContext,
  caller: Caller,
  departure: Departure,
): Promise<{ url: string }> {
  const actor = requireMayLink(ctx, caller)
  // An invitation is accepted by a sign-in.
  return leaveForProvider(ctx, { ...departure, inviteToken: undefined }, actor)
}
