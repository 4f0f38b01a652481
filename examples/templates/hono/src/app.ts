import { type Handler, Hono, type Context as HonoContext } from 'hono'
import { AuthError } from 'latchkey'
import { type CookieSessions, type RequestSession, requiredStep } from 'latchkey/cookies'
import { toHono } from 'latchkey/hono'
import * as pages from './pages.ts'

/** The arguments of a handler: the session of the request, and the texts of the form. */
interface Context {
  session: RequestSession
  fields: pages.Fields
}

/** Returns a page, or a path to continue at. */
type Handle = (context: Context) => Promise<pages.Html | Redirect> | pages.Html | Redirect

class Redirect {
  readonly to: string

  constructor(to: string) {
    this.to = to
  }
}

const redirect = (to: string) => new Redirect(to)

/** The page of each step that an operation requires first. */
const steps = { sign_in: '/sign-in', verify: '/verify', enroll: '/enroll' }

export interface AppOptions {
  sessions: CookieSessions
  origin: string
  hasGithub: boolean
}

/** The application, without a service of its own, so that tests can pass one. */
export function createApp({ sessions, origin, hasGithub }: AppOptions): Hono {
  const app = new Hono()
  const callback = `${origin}/callback`

  /** Opens the session, runs the handler, and sends its result with the changed cookies. */
  const route =
    (handle: Handle, onProblem?: Handle): Handler =>
    async (c) => {
      const session = await sessions.open(c.req.raw)
      const { status, result, problem } = await run(
        handle,
        { session, fields: await fieldsOf(c) },
        onProblem,
      )
      const headers = new Headers({ 'cache-control': 'private, no-store' })
      session.addHeaders(headers)
      if (result instanceof Redirect) {
        headers.set('location', result.to)
        return new Response(null, { status: 303, headers })
      }
      headers.set('content-type', 'text/html; charset=utf-8')
      return new Response(String(await pages.page(result, problem)), { status, headers })
    }

  /** A page with a form, which is shown again with the problem if its action is rejected. */
  const form = (path: string, show: Handle, act: Handle) =>
    app.get(path, route(show)).post(path, route(act, show))

  app.all('/auth/*', toHono(sessions))

  app.get(
    '/',
    route(({ session }) => pages.home(session.viewer?.claims.email)),
  )

  form(
    '/sign-up',
    ({ fields }) => pages.signUp(fields['email']),
    async ({ session, fields: { email = '', password = '' } }) => {
      await session.api.signUp({ email, password, redirectTo: callback })
      return redirect(`/confirm?email=${encodeURIComponent(email)}`)
    },
  )

  form(
    '/confirm',
    ({ fields }) => pages.confirm(fields['email']),
    async ({ session, fields: { email = '', code = '' } }) => {
      await session.api.verifyOtp({ type: 'signup', email, token: code })
      return redirect('/account')
    },
  )

  form(
    '/sign-in',
    ({ fields }) => pages.signIn({ hasGithub, address: fields['email'] }),
    async ({ session, fields: { email = '', password = '' } }) => {
      await session.api.signInWithPassword({ email, password })
      return redirect('/account')
    },
  )

  app.post(
    '/sign-in/github',
    route(async ({ session }) => {
      const { url } = await session.api.signInWithOAuth({
        provider: 'github',
        redirectTo: callback,
      })
      return redirect(url)
    }),
  )

  form(
    '/recover',
    ({ fields }) => pages.recover(fields['email']),
    async ({ session, fields: { email = '' } }) => {
      await session.api.resetPasswordForEmail({
        email,
        redirectTo: `${callback}?next=/new-password`,
      })
      return redirect(`/recover/code?email=${encodeURIComponent(email)}`)
    },
  )

  form(
    '/recover/code',
    ({ fields }) => pages.recoveryCode(fields['email']),
    async ({ session, fields: { email = '', code = '' } }) => {
      await session.api.verifyOtp({ type: 'recovery', email, token: code })
      return redirect('/new-password')
    },
  )

  // Links in mails and the provider lead back here.
  app.get('/callback', (c) =>
    sessions.finishFlow(c.req.raw, { to: '/account', failed: '/sign-in' }),
  )

  form(
    '/new-password',
    async ({ session }) => pages.newPassword((await session.requireUser()).user),
    async ({ session, fields: { password = '' } }) => {
      await session.api.updateUser({ password })
      return redirect('/account')
    },
  )

  form('/enroll', pages.enroll, async ({ session }) => {
    await removeUnverified(session)
    const { id, totp } = await session.api.enrollFactor({ factorType: 'totp' })
    return totp ? pages.scan(id, totp) : redirect('/enroll')
  })

  form(
    '/verify',
    async ({ session, fields }) => {
      const { user } = await session.requireUser({ aal: 1 })
      const verified = user.factors.find(({ status }) => status === 'verified')
      return pages.verify(fields['factorId'] ?? verified?.id)
    },
    async ({ session, fields: { factorId = '', code = '' } }) => {
      const { id: challengeId } = await session.api.challengeFactor({ factorId })
      await session.api.verifyFactor({ factorId, challengeId, code })
      return redirect('/account')
    },
  )

  // A page for signed-in users only.
  app.get(
    '/account',
    route(async ({ session }) => pages.account((await session.requireUser()).user)),
  )

  app.post(
    '/sign-out',
    route(async ({ session }) => {
      await session.signOut()
      return redirect('/')
    }),
  )

  app.post(
    '/sign-out-everywhere',
    route(async ({ session }) => {
      await session.signOut({ scope: 'global' })
      return redirect('/')
    }),
  )

  return app
}

/** Returns the texts of a submitted form; or of the query. */
async function fieldsOf(c: HonoContext): Promise<pages.Fields> {
  if (c.req.method !== 'POST') return c.req.query()
  const fields = Object.entries(await c.req.parseBody())
  return Object.fromEntries(
    fields.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  )
}

/** Runs a handler. A rejection leads to the step that is required first, or back to the form. */
async function run(handle: Handle, context: Context, onProblem?: Handle) {
  try {
    return { status: 200, result: await handle(context) }
  } catch (error) {
    const step = requiredStep(error)
    if (step) return { status: 303, result: redirect(steps[step]) }
    if (!(error instanceof AuthError) || !onProblem) throw error
    const { status, message: problem } = error
    return { status, problem, result: await onProblem(context) }
  }
}

/** Removes the factor of an earlier enrollment whose code was not entered. */
async function removeUnverified({ api }: RequestSession): Promise<void> {
  const { factors } = await api.getUser()
  for (const { id: factorId, status } of factors) {
    if (status === 'unverified') await api.unenrollFactor({ factorId })
  }
}
