import { auditNote } from '../../audit/audit-note.ts'
import { insertAuditEntries } from '../../audit/insert-audit-entries.sql.ts'
import type { AuthContext } from '../../deps.ts'
import type { AuthError } from '../../errors/auth-error.ts'
import { validationFailed } from '../../errors/request-errors.ts'
import type { Unread } from '../../http/endpoint.ts'
import type { PasswordWeakness } from '../../passwords/password-errors.ts'
import { invalidCredentials } from '../../passwords/password-errors.ts'
import { openSession } from '../../sessions/open-session.sql.ts'
import { prepareSession } from '../../steps/complete-sign-in.ts'
import { countPasswordAttempt } from '../../steps/count-password-attempt.ts'
import { eventRows, sessionsOpened, tellEvents } from '../../steps/event-rows.ts'
import type { SignedIn } from '../../steps/issue-session.ts'
import { requireProvider } from '../../steps/require-provider.ts'
import { type Address, emailToFind, phoneToFind } from '../../users/addresses.ts'
import { isBanned, type User } from '../../users/user.ts'
import {
  emailNotConfirmed,
  phoneNotConfirmed,
  userBannedAtSignIn,
} from '../../users/user-errors.ts'
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
  const signIn = prepareSession(ctx, {
    userId: user.id,
    method: 'password',
    events: [{ action: 'login', actorId: user.id, traits: { provider: address.kind } }],
  })
  const opened = await openSession(ctx.sql, {
    userId: user.id,
    ...signIn.rows,
    messageRows: eventRows(ctx, user.id, sessionsOpened(signIn.rows.sessionRows)),
    passwordHash,
    renewedHash: await ctx.passwords.renew(passwordHash, password, turn),
    now,
    attemptKeys,
  })
  // The password was changed, or the user banned or deleted, while we compared.
  if (!opened) return refuse(ctx, address, user, invalidCredentials())

  tellEvents(ctx)
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
  { kind }: Address,
  user: User | undefined,
  error: AuthError,
): Promise<never> {
  const entry = {
    action: 'failed_sign_in',
    traits: { provider: kind, reason: error.code },
    ...(user && { userId: user.id }),
  } as const
  const note = auditNote(ctx, entry)
  await insertAuditEntries(ctx.sql, note.rows)
  note.log()
  throw error
}
