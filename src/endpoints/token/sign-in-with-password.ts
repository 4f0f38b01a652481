import { sessionsOpened } from '../../accounts/acts/event-rows.ts'
import { performAct, recordAlone } from '../../accounts/acts/record-act.ts'
import { requireProvider } from '../../accounts/addresses/require-provider.ts'
import type { AuthContext } from '../../accounts/auth-context.ts'
import { openSession } from '../../accounts/sessions/open-session.sql.ts'
import { prepareSession } from '../../accounts/sign-in/complete-sign-in.ts'
import type { SignedIn } from '../../accounts/sign-in/issue-session.ts'
import { type Address, emailToFind, phoneToFind } from '../../accounts/users/addresses.ts'
import { isBanned, type User } from '../../accounts/users/user.ts'
import {
  emailNotConfirmed,
  phoneNotConfirmed,
  userBannedAtSignIn,
} from '../../accounts/users/user-errors.ts'
import type { PasswordWeakness } from '../../credentials/passwords/password-errors.ts'
import { invalidCredentials } from '../../credentials/passwords/password-errors.ts'
import { countPasswordAttempt } from '../../limits/count-password-attempt.ts'
import type { AuthError } from '../../platform/errors/auth-error.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import type { Unread } from '../http/endpoint.ts'
import { askAboutPassword } from './ask-about-password.ts'
import type { SignInWithPasswordInput } from './token.endpoint.ts'

export interface PasswordSignIn extends SignedIn {
  /** Which rules for new passwords the password breaks; null when none. */
  weakPassword: PasswordWeakness | null
}

export interface PasswordSignInOptions {
  /** What else keeps out somebody who knows the password; null for nothing. */
  obstacleFor?: (user: User) => AuthError | null
}

const noObstacle = () => null

/**
 * Signs a user in by email or phone and password.
 *
 * A known and an unknown address cost the same statements and the same hash. Whether an account is
 * banned or unconfirmed is said only to who knows its password. After 50 wrong passwords in a row an
 * address makes strangers wait (see `limits/password-attempts.ts`).
 *
 * @throws AuthError what a hook throws, `over_request_rate_limit` (429), `invalid_credentials`, `user_banned`, `email_not_confirmed`,
 *   `phone_not_confirmed` (400), `email_provider_disabled`, `phone_provider_disabled` (422),
 *   `validation_failed` unless exactly one of email and phone is given; and what `obstacleFor` returns.
 */
export async function signInWithPassword(
  ctx: AuthContext,
  credentials: Unread<SignInWithPasswordInput>,
  { obstacleFor = noObstacle }: PasswordSignInOptions = {},
): Promise<PasswordSignIn> {
  const address = readAddress(credentials)
  requireProvider(ctx, address.kind, 'login')
  const password = credentials.password ?? ''

  const { found, attemptKeys, lane, turn } = await countPasswordAttempt(
    ctx,
    address,
    ctx.request.audience,
  )
  const isRight = await ctx.passwords.inLine(lane, () =>
    ctx.passwords.verify(found?.passwordHash ?? null, password, turn),
  )
  const rejection = await askAboutPassword(ctx, { address, user: found?.user ?? null, isRight })
  if (rejection) return refuse(ctx, address, found?.user, rejection)
  if (!found?.passwordHash || !isRight) {
    return refuse(ctx, address, found?.user, invalidCredentials())
  }
  const { user, passwordHash } = found
  const obstacle = findObstacle(ctx, address, user) ?? obstacleFor(user)
  if (obstacle) return refuse(ctx, address, user, obstacle)

  const now = ctx.clock.now()
  // It is looked up while the session is opened. Never before the password is known to be right.
  const looking = ctx.passwordPolicy.findWeaknessInUse(password)
  const signIn = prepareSession(ctx, { userId: user.id, method: 'password' })
  const act = {
    audit: { action: 'login', actorId: user.id, traits: { provider: address.kind } },
    events: { userId: user.id, events: sessionsOpened(signIn.rows.sessionRows) },
  } as const
  const renewedHash = await ctx.passwords.renew(passwordHash, password, turn)
  const opening = { userId: user.id, ...signIn.rows, passwordHash, renewedHash, now, attemptKeys }
  const opened = await performAct(ctx, act, (rows) => openSession(ctx.sql, { ...opening, ...rows }))
  // The password was changed, or the user banned or deleted, while we compared.
  if (!opened) return refuse(ctx, address, user, invalidCredentials())

  const signedIn = await signIn.complete({ ...user, lastSignInAt: now })
  return { ...signedIn, weakPassword: await looking }
}

function readAddress({ email, phone }: Unread<SignInWithPasswordInput>): Address {
  if (email && phone) {
    throw validationFailed('Only an email address or phone number should be provided on login.')
  }
  if (email) return emailToFind(email)
  if (phone) return phoneToFind(phone)
  throw validationFailed('email: missing email or phone')
}

function findObstacle(ctx: AuthContext, { kind }: Address, user: User): AuthError | null {
  if (isBanned(user, ctx.clock.now())) return userBannedAtSignIn()
  if (kind === 'email' && !user.emailConfirmedAt) return emailNotConfirmed()
  if (kind === 'phone' && !user.phoneConfirmedAt) return phoneNotConfirmed()
  return null
}

async function refuse(
  ctx: AuthContext,
  { kind, value }: Address,
  user: User | undefined,
  error: AuthError,
): Promise<never> {
  const audit = {
    action: 'failed_sign_in',
    traits: { provider: kind, reason: error.code },
    ...(user ? { userId: user.id } : { unknownAddress: value }),
  } as const
  await recordAlone(ctx, audit)
  throw error
}
