import { factorNotice } from '../../accounts/acts/change-notices.ts'
import { event } from '../../accounts/acts/event-rows.ts'
import { performAct } from '../../accounts/acts/record-act.ts'
import type { AuthContext, TransactionContext } from '../../accounts/auth-context.ts'
import { type Caller, requireStoredCaller } from '../../accounts/callers/authenticate-caller.ts'
import { withLockedCaller } from '../../accounts/callers/with-locked-user.ts'
import { type Passkey, presentPasskey } from '../../accounts/passkeys/passkey.ts'
import { lastPasskeyNotDeletable, passkeyNotFound } from '../../accounts/passkeys/passkey-errors.ts'
import { deletePasskey, findPasskeys, renamePasskey } from '../../accounts/passkeys/passkeys.sql.ts'
import { presentSignedIn } from '../../accounts/sign-in/issue-session.ts'
import { hasUsableIdentity, isConfirmed, isInUse, type User } from '../../accounts/users/user.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import { Answer } from '../../platform/http/answer.ts'
import { implement } from '../http/implement.ts'
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
import { requireMayChangePasskeys, requirePasskeyId, requirePasskeys } from './require-passkeys.ts'
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

const maxNameBytes = 120

/**
 * Renames one of the caller's passkeys. The response does not distinguish another user's passkey
 * from an unknown one.
 *
 * @throws AuthError `passkey_disabled` (404), `validation_failed` (400, or 404 for a passkey that
 *   the caller does not have).
 */
async function renameOwnPasskey(
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
 *   `insufficient_aal`, `reauthentication_needed` (403), `validation_failed` (404) for a passkey
 *   that the caller does not have, `single_identity_not_deletable` (422) for the last one of a user
 *   who could not sign in without it.
 */
async function deleteOwnPasskey(
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
  if (isConfirmed(user) || hasUsableIdentity(user)) return
  if (user.username !== null) {
    const { stored } = await requireStoredCaller(ctx, { userId: user.id, sessionId: null })
    if (stored.passwordHash !== null) return
  }
  const passkeys = await findPasskeys(ctx.sql, user.id)
  if (!passkeys.some((passkey) => passkey.id === passkeyId)) return
  const others = passkeys.filter((passkey) => passkey.id !== passkeyId)
  if (!others.some(isInUse)) throw lastPasskeyNotDeletable()
}
