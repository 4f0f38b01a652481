import type { AuthContext } from '../../accounts/auth-context.ts'
import { stepUpNeededToOperate } from '../../accounts/sessions/session-errors.ts'
import { hasVerifiedFactor, type User } from '../../accounts/users/user.ts'
import { notAdmin } from '../../accounts/users/user-errors.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { sha256Hex } from '../../platform/kit/digest.ts'
import type { CapabilityServices } from '../capability-host.ts'
import { storeKey } from './keys.sql.ts'
import {
  invalidData,
  noSession,
  notAuthorized,
  type Violations,
  validationFailed,
} from './pages-error.ts'

/** A session key. The response to the log-in is the only one that contains it. */
export interface IssuedKey {
  id: number
  key: string
  expiresAt: Date
}

interface LogIn {
  /** An email address or a phone number. */
  loginName: string
  password: string
}

const lifetimeSeconds = 3600

/**
 * Authenticates an operator by password, as `/token` does, and issues a key. A user with a second
 * factor is rejected, since the log-in does not verify it.
 *
 * @throws SubscribePagesError 401 for all reasons alike; AuthError `over_request_rate_limit` (429),
 *   and faults.
 */
export async function logIn(
  ctx: AuthContext,
  { signInWithPassword }: CapabilityServices,
  { loginName, password }: LogIn,
): Promise<IssuedKey> {
  const address = loginName.includes('@') ? { email: loginName } : { phone: loginName }
  const { session } = await alike(() =>
    signInWithPassword(
      ctx,
      { ...address, password },
      { obstacleFor: (user) => obstacleFor(ctx, user) },
    ),
  )
  const key = ctx.random.hex(16)
  const now = ctx.clock.now()
  const expiresAt = new Date(now.getTime() + lifetimeSeconds * 1000)
  const keyHash = sha256Hex(key)
  const id = await storeKey(ctx.sql, { keyHash, sessionId: session.id, expiresAt, now })
  if (id === null) throw notAuthorized(noSession())
  return { id, key, expiresAt }
}

function obstacleFor({ config }: AuthContext, user: User): AuthError | null {
  if (!config.jwt.adminRoles.includes(user.role)) return notAdmin()
  return hasVerifiedFactor(user) ? stepUpNeededToOperate() : null
}

/** Maps all rejections to one error, except 429, which contains the time to wait. */
export async function alike<T>(attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt()
  } catch (error) {
    const isReported = !(error instanceof AuthError) || error.status === 429 || error.status >= 500
    throw isReported ? error : notAuthorized(error)
  }
}

const blank = 'This value should not be blank.'

/**
 * Reads the body of a log-in.
 *
 * @throws SubscribePagesError 400 for a wrong type, 422 for a missing or blank value, under the
 *   names `loginName` and `password`.
 */
export function readLogIn(body: Record<string, unknown>): { loginName: string; password: string } {
  const { login_name: snake, loginName: camel = snake, password } = body
  const loginName = readText(camel, 'login_name')
  const read = { loginName: loginName?.trim(), password: readText(password, 'password') }
  const violations: Violations = Object.fromEntries(
    Object.entries(read)
      .filter(([, text]) => text === undefined || text.trim() === '')
      .map(([name]) => [name, [blank]]),
  )
  if (Object.keys(violations).length > 0) throw validationFailed(violations)
  return { loginName: read.loginName ?? '', password: read.password ?? '' }
}

function readText(value: unknown, name: string): string | undefined {
  if (value === undefined || typeof value === 'string') return value
  throw invalidData(`${name} has to be a text.`)
}
