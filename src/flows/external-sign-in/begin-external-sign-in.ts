import type { AuthContext } from '../../deps.ts'
import { type Departure, leaveForProvider } from '../../steps/leave-for-provider.ts'

/** Somebody who wants to sign in with a provider. */
export interface ExternalSignInStart extends Departure {
  /** The secret of their browser; null where that is elsewhere: then there has to be a code challenge. */
  browser: string | null
}

/**
 * Says where to send a browser so that somebody signs in with a provider.
 *
 * @throws AuthError `validation_failed` (400) for a provider that is not there, or a code challenge that is none;
 *   `user_not_found` (404) for an unknown invitation.
 */
export const beginExternalSignIn = (
  ctx: AuthContext,
  { browser, ...departure }: ExternalSignInStart,
): Promise<{ url: string }> =>
  leaveForProvider(ctx, departure, browser === null ? null : { browser })
