import { sessionsOpened } from '../../accounts/acts/event-rows.ts'
import { performAct, recordAlone } from '../../accounts/acts/record-act.ts'
import { requireProvider } from '../../accounts/addresses/require-reachable.ts'
import type { AuthContext } from '../../accounts/auth-context.ts'
import { revokeAllSessions } from '../../accounts/lifecycle/revoke-all-sessions.ts'
import { openSession } from '../../accounts/sessions/open-session.sql.ts'
import { prepareSession } from '../../accounts/sign-in/complete-sign-in.ts'
import type { IssuedSession } from '../../accounts/sign-in/issue-session.ts'
import { signInObstacle } from '../../accounts/sign-in/sign-in-obstacle.ts'
import { emailToFind, phoneToFind, type SignInName } from '../../accounts/users/addresses.ts'
import { findById, type UserWithPassword } from '../../accounts/users/find-user.sql.ts'
import type { User } from '../../accounts/users/user.ts'
import {
  emailNotConfirmed,
  phoneNotConfirmed,
  userBannedAtSignIn,
} from '../../accounts/users/user-errors.ts'
import { usernameKey } from '../../accounts/users/username.ts'
import type { HashingPriority } from '../../credentials/passwords/gate.ts'
import {
  invalidCredentials,
  type PasswordWeakness,
  passwordRejected,
} from '../../credentials/passwords/password-errors.ts'
import { rejectionIn, requestDecision } from '../../delivery/hooks/request-decision.ts'
import { countPasswordAttempt } from '../../limits/count-password-attempt.ts'
import type { AuthError } from '../../platform/errors/auth-error.ts'
import { requestTimeout, validationFailed } from '../../platform/errors/request-errors.ts'
import { deriveKey } from '../../platform/kit/derived-keys.ts'
import { uuidFromBytes } from '../../platform/kit/uuid.ts'
import type { Unvalidated } from '../http/endpoint.ts'
import type { SignInWithPasswordInput } from './token.endpoint.ts'

export interface PasswordSignIn extends IssuedSession {
  /** The rules of the password policy that the password breaks; null when none. */
  weakPassword: PasswordWeakness | null
}

export interface PasswordSignInOptions {
  /** Returns another reason to reject a user with the right password; null for none. */
  obstacleFor?: (user: User) => AuthError | null
}

const noObstacle = () => null

/**
 * Signs a user in by email, phone or user name, and password.
 *
 * A known and an unknown address or name cost the same statements and the same hash. A ban or a
 * missing confirmation is reported only after a right password. After 50 consecutive wrong
 * passwords for an address, unfamiliar clients are delayed (see
 * `limits/count-password-attempt.ts`).
 *
 * @throws AuthError the errors of a hook, `over_request_rate_limit` (429), `invalid_credentials`,
 *   `user_banned`, `email_not_confirmed`, `phone_not_confirmed` (400), `email_provider_disabled`,
 *   `phone_provider_disabled` (422), `service_unavailable` (503) while too many passwords wait to
 *   be hashed, `validation_failed` unless exactly one of email, phone and user name is given; and
 *   the errors of `obstacleFor`.
 */
export async function signInWithPassword(
  ctx: AuthContext,
  credentials: Unvalidated<SignInWithPasswordInput>,
  { obstacleFor = noObstacle }: PasswordSignInOptions = {},
): Promise<PasswordSignIn> {
  const name = readName(ctx, credentials)
  if (name.kind !== 'username') requireProvider(ctx, name.kind, 'login')
  const password = credentials.password ?? ''

  const { found, attemptKeys, serialKey, priority } = await countPasswordAttempt(
    ctx,
    name,
    ctx.request.audience,
  )
  const isRight = await ctx.passwords.serialized(serialKey, priority.path, async () => {
    if (ctx.request.isOver()) throw requestTimeout()
    return ctx.passwords.verify(found?.passwordHash ?? null, password, priority)
  })
  const rejection = await requestPasswordDecision(ctx, { name, user: found?.user ?? null, isRight })
  if (rejection) return refuse(ctx, name, found?.user, rejection)
  if (!found?.passwordHash || !isRight) {
    return refuse(ctx, name, found?.user, invalidCredentials())
  }
  const { user, passwordHash } = found
  const obstacle = findObstacle(ctx, name, user) ?? obstacleFor(user)
  if (obstacle) return refuse(ctx, name, user, obstacle)

  const now = ctx.clock.now()
  // Runs while the session is created, and never before the password is verified.
  const looking = ctx.passwordPolicy.findWeaknessInUse(password)
  const signIn = prepareSession(ctx, { userId: user.id, method: 'password' })
  const act = {
    audit: { action: 'login', actorId: user.id, traits: { provider: name.kind } },
    events: { userId: user.id, events: sessionsOpened(signIn.rows.sessionRows) },
  } as const
  const renewedHash = await ctx.passwords.renew(passwordHash, password, priority)
  const open = (hash: string, renewed: string | null) => {
    const opening = { ...signIn.rows, passwordHash: hash, renewedHash: renewed, now, attemptKeys }
    return performAct(ctx, act, (rows) =>
      openSession(ctx.sql, { userId: user.id, ...opening, ...rows }),
    )
  }
  const openByPresentHash = async () => {
    const present = await findRenewedHash(ctx, { found, password, priority })
    return present !== null && open(present, null)
  }
  // During the verification, the password was changed, or the user banned or deleted.
  if (!((await open(passwordHash, renewedHash)) || (await openByPresentHash()))) {
    return refuse(ctx, name, user, invalidCredentials())
  }

  const signedIn = await signIn.complete({ ...user, lastSignInAt: now })
  return { ...signedIn, weakPassword: await looking }
}

/** A user and the password that was verified for the user. */
interface VerifiedPassword {
  found: UserWithPassword
  password: string
  priority: HashingPriority
}

/**
 * Returns the present hash of a right password, which a concurrent sign-in has renewed; null where
 * the password was changed instead.
 */
async function findRenewedHash(
  { sql, passwords }: AuthContext,
  { found, password, priority }: VerifiedPassword,
): Promise<string | null> {
  const present = (await findById(sql, found.user.id))?.passwordHash ?? null
  if (present === null || present === found.passwordHash) return null
  return (await passwords.verify(present, password, priority)) ? present : null
}

function readName(
  { config: { usernames } }: AuthContext,
  { email, phone, username }: Unvalidated<SignInWithPasswordInput>,
): SignInName {
  const names = [email, phone, usernames.enabled && username].filter(Boolean)
  if (names.length > 1) {
    throw validationFailed(
      usernames.enabled
        ? 'Only an email address, phone number or username should be provided on login.'
        : 'Only an email address or phone number should be provided on login.',
    )
  }
  if (email) return emailToFind(email)
  if (phone) return phoneToFind(phone)
  // No user has a malformed name, as none has a malformed address.
  if (usernames.enabled && username) return { kind: 'username', value: usernameKey(username) }
  throw validationFailed('email: missing email or phone')
}

/**
 * Returns the reason why the user with the right password may not sign in. A user holds a name
 * before a confirmation if an operator created it, or if it has no address.
 */
function findObstacle(ctx: AuthContext, { kind }: SignInName, user: User): AuthError | null {
  const obstacle = signInObstacle(user, ctx.clock.now(), kind === 'username' ? null : kind)
  return obstacle && obstacleErrors[obstacle]()
}

const obstacleErrors = {
  banned: userBannedAtSignIn,
  email: emailNotConfirmed,
  phone: phoneNotConfirmed,
}

async function refuse(
  ctx: AuthContext,
  { kind, value }: SignInName,
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

/** A password after its verification. */
interface ComparedPassword {
  name: SignInName
  /** The user with the address or user name; null without one. */
  user: User | null
  isRight: boolean
}

const defaultMessage = 'Further password verification attempts will be rejected.'

/**
 * Calls the application's hook, where there is one, for a verified password; the hook may reject
 * the attempt. It is also called for an unknown address, with a stable decoy id: neither the
 * response time, nor a decision of a hook that counts attempts, reveals whether an account exists.
 *
 * @returns the hook's rejection; null where it accepts the attempt.
 * @throws AuthError the errors of a failing hook.
 */
async function requestPasswordDecision(
  ctx: AuthContext,
  { name, user, isRight }: ComparedPassword,
): Promise<AuthError | null> {
  if (!ctx.config.hooks.passwordVerificationAttempt.enabled) return null
  const userId = user?.id ?? decoyId(ctx, name)
  const output = await requestDecision(ctx, 'passwordVerificationAttempt', {
    user_id: userId,
    valid: isRight,
  })
  const rejection = rejectionIn(output, defaultMessage)
  if (rejection === null) return null
  if (output?.['should_logout_user'] === true) {
    const traits = { reason: 'password_rejected' }
    await revokeAllSessions(ctx, userId, { reason: 'rejected', traits })
  }
  return passwordRejected(rejection.message, rejection.details)
}

/**
 * Returns an id that is the same for each attempt at an address, for counting, and does not reveal
 * the address.
 */
function decoyId({ roots, request }: AuthContext, { kind, value }: SignInName): string {
  const subject = JSON.stringify([request.audience, kind, value])
  const bytes = deriveKey(roots.current, 'decoy-user', subject).subarray(0, 16)
  // The version and variant bits of a random id. @see RFC 9562 §5.4
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  return uuidFromBytes(bytes)
}
