import { sessionsOpened } from '../../accounts/acts/event-rows.ts'
import { performAct, recordAlone } from '../../accounts/acts/record-act.ts'
import {
  rejectSuspendedCredential,
  suspendedPasskey,
} from '../../accounts/addresses/reject-suspended-credential.ts'
import type { AuthContext } from '../../accounts/auth-context.ts'
import {
  type ConsumedChallenge,
  consumeAuthenticationChallenge,
  type OwnedPasskey,
} from '../../accounts/passkeys/challenges.sql.ts'
import {
  addressNotConfirmedAtSignIn,
  challengeExpired,
  challengeNotFound,
  credentialRefused,
} from '../../accounts/passkeys/passkey-errors.ts'
import { usePasskey } from '../../accounts/passkeys/use-passkey.sql.ts'
import { prepareSession } from '../../accounts/sign-in/complete-sign-in.ts'
import type { IssuedSession } from '../../accounts/sign-in/issue-session.ts'
import { signInObstacle } from '../../accounts/sign-in/sign-in-obstacle.ts'
import type { User } from '../../accounts/users/user.ts'
import { userBanned } from '../../accounts/users/user-errors.ts'
import { toUser, type UserRow, userExpression } from '../../accounts/users/user-row.ts'
import { idOf, readAssertion } from '../../credentials/webauthn/read-credential.ts'
import { verifyAssertion } from '../../credentials/webauthn/verify-ceremony.ts'
import type { AuthError } from '../../platform/errors/auth-error.ts'
import type { Unvalidated } from '../http/endpoint.ts'
import type { VerifyPasskeyAuthenticationInput } from './passkeys.endpoint.ts'
import { readAnswer, requirePasskeys } from './require-passkeys.ts'

/**
 * Signs in the owner of a passkey, by its signature on a challenge. The challenge is consumed, also
 * by a failed attempt.
 *
 * Only the owner of the passkey learns whether the account is banned or unconfirmed.
 *
 * @throws AuthError `passkey_disabled` (404), `validation_failed`, `webauthn_challenge_not_found`,
 *   `webauthn_challenge_expired`, `webauthn_verification_failed` (400), `user_banned`,
 *   `email_not_confirmed`, `phone_not_confirmed`, `sign_in_method_suspended` (403).
 */
export async function signInWithPasskey(
  ctx: AuthContext,
  input: Unvalidated<VerifyPasskeyAuthenticationInput>,
): Promise<IssuedSession> {
  requirePasskeys(ctx)
  const { challengeId, credential } = readAnswer(input)
  const spent = await consumeAuthenticationChallenge<UserRow>(ctx.sql, userExpression, {
    challengeId,
    credentialId: idOf(credential),
  })
  if (!spent) throw challengeNotFound()
  if (ctx.clock.now() >= spent.expiresAt) throw challengeExpired()
  const response = readAssertion(credential)
  const { owned } = spent
  const user = owned && toUser(owned.user)
  const proved = owned && (await verify(ctx, response, spent, owned))
  if (!user || !proved) return refuse(ctx, user, credentialRefused())
  const obstacle = signInObstacle(user, ctx.clock.now(), null)
  if (obstacle) return refuse(ctx, user, obstacleErrors[obstacle]())
  if (owned.passkey.suspended_at !== null) {
    return rejectSuspendedCredential(ctx, user, suspendedPasskey(owned.passkey))
  }
  return open(ctx, user, { passkeyId: owned.passkey.id, ...proved })
}

function verify(
  { config }: AuthContext,
  response: ReturnType<typeof readAssertion>,
  { challengeHash }: ConsumedChallenge,
  { passkey }: OwnedPasskey<unknown>,
) {
  return verifyAssertion(config.webAuthn, challengeHash, response, {
    id: passkey.credential_id,
    userId: passkey.user_id,
    publicKey: passkey.public_key,
    signCount: passkey.sign_count,
    backupEligible: passkey.backup_eligible,
  })
}

const obstacleErrors = {
  banned: userBanned,
  email: () => addressNotConfirmedAtSignIn('email'),
  phone: () => addressNotConfirmedAtSignIn('phone'),
}

async function open(
  ctx: AuthContext,
  user: User,
  used: { passkeyId: string; signCount: number; backedUp: boolean },
): Promise<IssuedSession> {
  const now = ctx.clock.now()
  const signIn = prepareSession(ctx, { userId: user.id, method: 'passkey' })
  const traits = { provider: 'passkey', passkey_id: used.passkeyId }
  const act = {
    audit: { action: 'login', actorId: user.id, traits },
    events: { userId: user.id, events: sessionsOpened(signIn.rows.sessionRows) },
  } as const
  const use = { userId: user.id, ...used, ...signIn.rows, now }
  const opened = await performAct(ctx, act, (rows) => usePasskey(ctx.sql, { ...use, ...rows }))
  // During the verification, the passkey was deleted or used again, or the user banned or deleted.
  if (!opened) return refuse(ctx, user, credentialRefused())
  return signIn.complete({ ...user, lastSignInAt: now })
}

async function refuse(ctx: AuthContext, user: User | null, error: AuthError): Promise<never> {
  const audit = {
    action: 'failed_sign_in',
    traits: { provider: 'passkey', reason: error.code },
    ...(user ? { userId: user.id } : { unknownAddress: '' }),
  } as const
  await recordAlone(ctx, audit)
  throw error
}
