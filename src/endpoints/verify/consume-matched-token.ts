import { changeNotices } from '../../accounts/acts/change-notices.ts'
import type { AuditEvent } from '../../accounts/audit/audit-row.ts'
import type { AuthContext } from '../../accounts/auth-context.ts'
import { withLockedUser } from '../../accounts/callers/with-locked-user.ts'
import { changeUser, type UserChange } from '../../accounts/lifecycle/change-user.ts'
import { changedKindOf } from '../../accounts/one-time-tokens/token-purpose.ts'
import type { SignInRows } from '../../accounts/sign-in/complete-sign-in.ts'
import { type AddressChanger, isHarmlessFirst } from '../../accounts/users/established-address.ts'
import { hasConfirmed, type User } from '../../accounts/users/user.ts'
import { emailExists, phoneExists } from '../../accounts/users/user-errors.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import { type AppliedToken, applyToken } from './apply-token.ts'
import { findMatchedTokenAgain } from './find-matched-token.ts'
import type { MatchedToken } from './matched-token.ts'

/** The result of a consumed token. */
export interface ConsumedToken {
  user: User
  /** False while the other address must still confirm a change. */
  isComplete: boolean
}

/**
 * Consumes a token and writes all that it changes, in one statement. After a concurrent change of
 * the user, the token is applied to the new state.
 *
 * @param firstPassword hashes the password of a user who has none, for the first address; null for
 *   no password.
 * @returns null when the token was consumed or revoked concurrently.
 * @throws AuthError `email_exists`, `phone_exists` (422) when a new address belongs to another
 *   user; `validation_failed` (422) for a password that the user does not get.
 */
export async function consumeMatchedToken(
  ctx: AuthContext,
  found: MatchedToken,
  signInRows: SignInRows,
  firstPassword: (() => Promise<string>) | null = null,
): Promise<ConsumedToken | null> {
  return (
    (await tryToConsume(ctx, found, signInRows, firstPassword)) ??
    (await retryConsuming(ctx, found, signInRows, firstPassword))
  )
}

/** Tries again after a concurrent request consumed the token or changed the user. */
async function retryConsuming(
  ctx: AuthContext,
  found: MatchedToken,
  ...rest: [SignInRows, (() => Promise<string>) | null]
): Promise<ConsumedToken | null> {
  if (!(await findMatchedTokenAgain(ctx, found))) return null
  return withLockedUser(ctx, found.stored.user.id, async (tx) => {
    const matched = await findMatchedTokenAgain(tx, found)
    return matched && tryToConsume(tx, matched, ...rest)
  })
}

/** Returns null when a concurrent request consumed the token or changed the user. */
async function tryToConsume(
  ctx: AuthContext,
  matched: MatchedToken,
  signInRows: SignInRows,
  firstPassword: (() => Promise<string>) | null,
): Promise<ConsumedToken | null> {
  const { stored, token } = matched
  const applied = applyToken(ctx, matched)
  const { isComplete } = applied
  const opensSession = isComplete && 'sessionRows' in signInRows
  const user = opensSession ? { ...applied.user, lastSignInAt: ctx.clock.now() } : applied.user
  const changedBy = changerOf(token)
  // Later a password has rules and a notice of its own, and a second factor protects it. A first
  // address ends the factors of the account.
  const mayGetPassword = isComplete && isHarmlessFirst(stored, changedBy)
  const passwordHash =
    applied.passwordHash ?? (mayGetPassword ? await firstPassword?.() : null) ?? null
  if (firstPassword && passwordHash === null) throw passwordNotSettable(isComplete)
  const saved = await save(ctx, matched, {
    audit: eventOf(matched, applied),
    notices: isComplete ? changeNotices(ctx, stored.user, user) : [],
    releasesBy: { actorId: user.id },
    before: stored,
    after: user,
    passwordHash,
    ...(token.id !== null && { spentTokenId: token.id }),
    signUpOrigin: isComplete ? null : stored.signUpOrigin,
    causes: [...(isComplete ? (['addressConfirmed'] as const) : []), ...applied.causes],
    // Links of other requesters to the confirmed address are revoked, too.
    endedPurpose: token.purpose,
    changedBy,
    resumedPasskeyId: applied.resumedId ?? null,
    ...(isComplete && signInRows),
  })
  return saved && { user: saved, isComplete }
}

/**
 * The token stays valid, so that the client can submit it without a password. `findMatchedToken`
 * stores a code that a carrier accepts only once.
 */
const passwordNotSettable = (isComplete: boolean): AuthError =>
  isComplete
    ? validationFailed('password: can be set after this sign-in only, by PUT /user', 422)
    : validationFailed('password: is not set by the first of two confirmations', 422)

function changerOf(token: MatchedToken['token']): AddressChanger {
  if (token.purpose === 'email_change_current') return 'formerEmail'
  return changedKindOf(token) ? 'user' : 'message'
}

async function save(
  ctx: AuthContext,
  { token }: MatchedToken,
  change: UserChange,
): Promise<User | null> {
  try {
    return await changeUser(ctx, change)
  } catch (error) {
    const isTaken = error instanceof AuthError && error.code === 'conflict'
    if (isTaken && changedKindOf(token) === 'email') throw emailExists()
    if (isTaken && changedKindOf(token) === 'phone') throw phoneExists()
    // A sign-up with the same user name was confirmed concurrently. The second attempt drops the name.
    if (isTaken && change.after.username !== null) return null
    throw error
  }
}

/** Returns the audit entry. A token for an unconfirmed address completes a sign-up. */
function eventOf({ stored, token, sentTo }: MatchedToken, { user }: AppliedToken): AuditEvent {
  const actorId = user.id
  if (changedKindOf(token)) return { action: 'user_modified', actorId }
  const { kind } = sentTo
  if (hasConfirmed(stored.user, kind)) return { action: 'login', actorId }
  return { action: 'user_signedup', actorId, traits: { provider: kind } }
}
