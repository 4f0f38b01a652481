import { auditNote } from '../../audit/audit-note.ts'
import type { CompanionHost } from '../../companion-door.ts'
import type { EndedSessions } from '../../config/sections/hooks.ts'
import type { AuthContext } from '../../deps.ts'
import { checkCaptcha } from '../../guards/check-captcha.ts'
import { limitClient } from '../../guards/limit-client.ts'
import { Answer, jsonAnswer } from '../../http/answer.ts'
import { maxPlainBodyBytes } from '../../http/body-limit.ts'
import type { Endpoint } from '../../http/endpoint.ts'
import { receiveBody } from '../../http/read-text.ts'
import { deleteSession } from '../../sessions/delete-session.sql.ts'
import { rowsOfEnd, tellEvents } from '../../steps/event-rows.ts'
import { findAdministrator, type PagesUser } from './authenticate.ts'
import { findKey } from './keys.sql.ts'
import { alike, logIn } from './log-in.ts'
import { presentInstant, presentOwner } from './owner.ts'
import { keyNotFound, noSession, notYourKey } from './pages-error.ts'
import { readBody } from './read-body.ts'
import { readCredential } from './read-credential.ts'
import { readId } from './read-id.ts'
import { readLogIn } from './read-log-in.ts'
import type { Register } from './register.ts'
import { ownerIdOf } from './write-pages.sql.ts'

/** What a captcha is told to be for. */
const logInForCaptcha = {
  method: 'POST',
  path: '/sessions',
  summary: 'Logs an operator in.',
  caller: 'anyone',
  captcha: true,
  answers: {},
  errors: [],
} as const satisfies Endpoint

/** `POST /sessions`: logs an operator in by password, and answers a key. */
export function logInRoute(register: Register, service: CompanionHost): void {
  register('POST', '/sessions', async (event, ctx) => {
    await receiveBody(event)
    const input = readLogIn(await readBody(event, maxPlainBodyBytes))
    await alike(() => checkCaptcha(ctx, event, logInForCaptcha))
    await limitClient(ctx, 'token')

    const { id, key, expiresAt } = await logIn(ctx, service, input)
    return jsonAnswer(201, { id, key, expiry_date: presentInstant(expiresAt) })
  })
}

/** `GET /sessions/me`: the administrator who asks. */
export function ownSessionRoute(register: Register): void {
  register('GET', '/sessions/me', async (event, ctx) => {
    const user = (await findAdministrator(ctx, readCredential(event)))?.user
    if (!user) throw noSession()

    const id = user.ownerId ?? (await ownerIdOf(ctx.sql, user.userId))
    if (id === null) throw noSession()
    return presentOwner({ ...user, id }, ctx.config.jwt.adminRoles)
  })
}

/** `DELETE /sessions/{sessionId}`: logs out. Whose session it is not, learns that it is there: ids are counted up. */
export function logOutRoute(register: Register): void {
  register('DELETE', '/sessions/:sessionId(\\d+)', async (event, ctx) => {
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
  const traits = { session_id: sessionId }
  const note = auditNote(ctx, { action: 'logout', actorId: userId, traits })
  const end: EndedSessions = { scope: 'local', session_id: sessionId, reason: 'sign_out' }
  const messageRows = rowsOfEnd(ctx, userId, end)
  if (!(await deleteSession(ctx.sql, { userId, sessionId, messageRows, auditRows: note.rows }))) {
    throw keyNotFound()
  }
  note.log()
  tellEvents(ctx)
}
