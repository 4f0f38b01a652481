import type { H3Event } from 'h3'
import type { AuthContext } from '../../accounts/auth-context.ts'
import { endSession } from '../../accounts/lifecycle/end-session.ts'
import { captchaFor, findCaptchaToken } from '../../endpoints/http/check-captcha.ts'
import { Answer, jsonAnswer } from '../../platform/http/answer.ts'
import { maxPlainBodyBytes } from '../../platform/http/body-limit.ts'
import { readOptionalBearer } from '../../platform/http/read-request.ts'
import type { CapabilityServices } from '../capability-host.ts'
import { findAdministrator } from './authenticate.ts'
import { findKey } from './keys.sql.ts'
import { alike, logIn, readLogIn } from './log-in.ts'
import type { PagesUser } from './owner.ts'
import { presentInstant, presentOwner } from './owner.ts'
import { keyNotFound, noSession, notYourKey } from './pages-error.ts'
import { readId } from './read-id.ts'
import { readCredential } from './read-pages-credential.ts'
import type { Register } from './register.ts'
import { ownerIdOf } from './write-pages.sql.ts'

/** The path that a captcha is for. */
const logInPath = '/sessions'

/** `POST /sessions`: authenticates an operator by password, and responds with a key. */
export function logInRoute(register: Register, service: CapabilityServices): void {
  register(
    'POST',
    logInPath,
    async ({ event, ctx, body }) => {
      const input = readLogIn(body())
      await alike(() => requireCaptcha(event, ctx, body()))

      const { id, key, expiresAt } = await logIn(ctx, service, input)
      return jsonAnswer(201, { id, key, expiry_date: presentInstant(expiresAt) })
    },
    { limit: 'token', maxBodyBytes: maxPlainBodyBytes },
  )
}

async function requireCaptcha(
  event: H3Event,
  ctx: AuthContext,
  body: Record<string, unknown>,
): Promise<void> {
  const captcha = await captchaFor(ctx, readOptionalBearer(event))
  await captcha?.({ token: findCaptchaToken(body), ip: ctx.request.ip, path: logInPath })
}

/** `GET /sessions/me`: the administrator who owns the key. */
export function ownSessionRoute(register: Register): void {
  register('GET', '/sessions/me', async ({ event, ctx }) => {
    const user = (await findAdministrator(ctx, readCredential(event)))?.user
    if (!user) throw noSession()

    const id = user.ownerId ?? (await ownerIdOf(ctx.sql, user.userId))
    if (id === null) throw noSession()
    return presentOwner({ ...user, id }, ctx.config.jwt.adminRoles)
  })
}

/**
 * `DELETE /sessions/{sessionId}`: logs out. The error for a session of another user reveals that it
 * exists, which is harmless: ids are consecutive numbers.
 */
export function logOutRoute(register: Register): void {
  register('DELETE', '/sessions/:sessionId(\\d+)', async ({ event, ctx }) => {
    const administrator = await findAdministrator(ctx, readCredential(event))
    if (!administrator) throw noSession()

    await logOut(ctx, administrator.user, readId(event, 'sessionId'))
    return new Answer(204)
  })
}

async function logOut(ctx: AuthContext, user: PagesUser | null, id: number | null): Promise<void> {
  const key = id === null ? null : await findKey(ctx.sql, id)
  if (!key) throw keyNotFound()
  const { user_id: userId, session_id: sessionId } = key
  if (userId !== user?.userId) throw notYourKey()
  const actor = { ownerId: userId, actorId: userId, traits: { session_id: sessionId } }
  if (!(await endSession(ctx, { ...actor, sessionId, reason: 'sign_out' }))) throw keyNotFound()
}
