import type { AuthContext } from '../../accounts/auth-context.ts'
import type { Caller } from '../../accounts/callers/authenticate-caller.ts'
import { type Passkey, presentPasskey } from '../../accounts/passkeys/passkey.ts'
import { findPasskeys } from '../../accounts/passkeys/passkeys.sql.ts'
import { presentSignedIn } from '../../accounts/sign-in/issue-session.ts'
import { Answer } from '../../platform/http/answer.ts'
import { implement } from '../http/implement.ts'
import { deleteOwnPasskey } from './delete-own-passkey.ts'
import {
  deletePasskeyEndpoint,
  listPasskeysEndpoint,
  type PasskeyCeremony,
  startPasskeyAuthenticationEndpoint,
  startPasskeyRegistrationEndpoint,
  startPasskeySignUpEndpoint,
  updatePasskeyEndpoint,
  verifyPasskeyAuthenticationEndpoint,
  verifyPasskeyRegistrationEndpoint,
  verifyPasskeySignUpEndpoint,
} from './passkeys.endpoint.ts'
import { registerPasskey } from './register-passkey.ts'
import { renameOwnPasskey } from './rename-own-passkey.ts'
import { requirePasskeys } from './require-passkeys.ts'
import { signInWithPasskey } from './sign-in-with-passkey.ts'
import { signUpWithPasskey } from './sign-up-with-passkey.ts'
import { startAuthentication, startRegistration, startSignUp } from './start-ceremony.ts'

export const passkeysRoutes = [
  implement(startPasskeyRegistrationEndpoint, {
    run: ({ ctx, caller }) => startRegistration(ctx, caller),
    present: presentCeremony,
  }),
  implement(verifyPasskeyRegistrationEndpoint, {
    run: ({ ctx, caller, input }) => registerPasskey(ctx, caller, input),
    present: presentPasskey,
  }),
  implement(startPasskeyAuthenticationEndpoint, {
    run: ({ ctx }) => startAuthentication(ctx),
    present: presentCeremony,
  }),
  implement(verifyPasskeyAuthenticationEndpoint, {
    run: ({ ctx, input }) => signInWithPasskey(ctx, input),
    present: presentSignedIn,
  }),
  implement(startPasskeySignUpEndpoint, {
    run: ({ ctx, input }) => startSignUp(ctx, input),
    present: presentCeremony,
  }),
  implement(verifyPasskeySignUpEndpoint, {
    run: ({ ctx, input }) => signUpWithPasskey(ctx, input),
    present: presentSignedIn,
  }),
  implement(listPasskeysEndpoint, {
    run: ({ ctx, caller }) => listOwnPasskeys(ctx, caller),
    present: (passkeys) => passkeys.map(presentPasskey),
  }),
  implement(updatePasskeyEndpoint, {
    run: ({ ctx, caller, ids, input }) =>
      renameOwnPasskey(ctx, caller, ids.passkeyId, input.friendlyName),
    present: presentPasskey,
  }),
  implement(deletePasskeyEndpoint, {
    run: ({ ctx, caller, ids }) => deleteOwnPasskey(ctx, caller, ids.passkeyId),
    present: () => new Answer(204),
  }),
] as const

function presentCeremony({ challengeId, expiresAt, options }: PasskeyCeremony<object>) {
  return {
    challenge_id: challengeId,
    expires_at: Math.floor(expiresAt.getTime() / 1000),
    options,
  }
}

/**
 * Lists the caller's passkeys, the oldest first.
 *
 * @throws AuthError `passkey_disabled` (404).
 */
async function listOwnPasskeys(ctx: AuthContext, { user }: Caller): Promise<Passkey[]> {
  requirePasskeys(ctx)
  return findPasskeys(ctx.sql, user.id)
}
