import express, { type Express, type Request, type RequestHandler } from 'express'
import { AuthError } from 'latchkey'
import { type CookieSessions, type RequestSession, requiredStep } from 'latchkey/cookies'
import { toExpress } from 'latchkey/express'
import type { Html } from './html.ts'
import * as pages from './pages.ts'

/** The arguments of a handler: the session of the request, and the texts of the form. */
interface Context {
  session: RequestSession
  fields: pages.Fields
  request: Request
}

/** Returns a page, or the path to continue at. */
type Handle = (context: Context) => Promise<Html | string> | Html | string

/** The page of each step that an operation requires first. */
const steps = { sign_in: '/sign-in', verify: '/verify', enroll: '/enroll' }

export interface AppOptions {
  sessions: CookieSessions
  origin: string
  hasGithub: boolean
}

/** The application, without a service of its own, so that tests can pass one. */
export function createApp({ sessions, origin, hasGithub }: AppOptions): Express {
  const app = express()
  const callback = `${origin}/callback`

  /** Opens the session, runs the handler, and sends its result with the changed cookies. */
  const route =
    (handle: Handle, onProblem?: Handle): RequestHandler =>
    (request, response, next) => {
      const respond = async () => {
        const session = await sessions.open(request)
        const fields = request.method === 'POST' ? (request.body ?? {}) : request.query
        const context = { session, request, fields }
        const { status, result, problem } = await run(handle, context, onProblem)
        session.addHeaders(response)
        response.set('cache-control', 'private, no-store')
        if (typeof result === 'string') response.redirect(303, result)
        else response.status(status).send(pages.page(result, problem))
      }
      // Express 4 does not handle rejected promises itself.
      respond().catch(next)
    }

  /** A page with a form, which is shown again with the problem if its action is rejected. */
  const form = (path: string, show: Handle, act: Handle) =>
    app.get(path, route(show)).post(path, route(act, show))

  app.use('/auth', toExpress(sessions))
  app.use(express.urlencoded({ extended: false }))

  app.get(
    '/',
    route(({ session }) => pages.home(session.viewer?.claims.email)),
  )

  form(
    '/sign-up',
    ({ fields }) => pages.signUp(fields['email']),
    async ({ session, fields: { email = '', password = '' } }) => {
      await session.api.signUp({ email, password, redirectTo: callback })
      return `/confirm?email=${encodeURIComponent(email)}`
    },
  )

  form(
    '/confirm',
    ({ fields }) => pages.confirm(fields['email']),
    async ({ session, fields: { email = '', code = '' } }) => {
      await session.api.verifyOtp({ type: 'signup', email, token: code })
      return '/account'
    },
  )

  form(
    '/sign-in',
    ({ fields }) => pages.signIn({ hasGithub, address: fields['email'] }),
    async ({ session, fields: { email = '', password = '' } }) => {
      await session.api.signInWithPassword({ email, password })
      return '/account'
    },
  )

  app.post(
    '/sign-in/github',
    route(async ({ session }) => {
      const { url } = await session.api.signInWithOAuth({
        provider: 'github',
        redirectTo: callback,
      })
      return url
    }),
  )

  form(
    '/recover',
    ({ fields }) => pages.recover(fields['email']),
    async ({ session, fields: { email = '' } }) => {
      await session.api.resetPasswordForEmail({ email, redirectTo: `${callback}/new-password` })
      return `/recover/code?email=${encodeURIComponent(email)}`
    },
  )

  form(
    '/recover/code',
    ({ fields }) => pages.recoveryCode(fields['email']),
    async ({ session, fields: { email = '', code = '' } }) => {
      await session.api.verifyOtp({ type: 'recovery', email, token: code })
      return '/new-password'
    },
  )

  // Links in mails and the provider lead back here.
  for (const [path, next] of [
    ['/callback', '/account'],
    ['/callback/new-password', '/new-password'],
  ] as const) {
    app.get(
      path,
      route(
        async ({ session, fields: { code = '' } }) => {
          await session.exchangeCode(code)
          return next
        },
        () => pages.signIn({ hasGithub }),
      ),
    )
  }

  form(
    '/new-password',
    async ({ session }) => pages.newPassword((await session.requireUser()).user),
    async ({ session, fields: { password = '' } }) => {
      await session.api.updateUser({ password })
      return '/account'
    },
  )

  form('/enroll', pages.enroll, async ({ session }) => {
    await removeUnverified(session)
    const { id, totp } = await session.api.enrollFactor({ factorType: 'totp' })
    return totp ? pages.scan(id, totp) : '/enroll'
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
      return '/account'
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
      return '/'
    }),
  )

  app.post(
    '/sign-out-everywhere',
    route(async ({ session }) => {
      await session.signOut({ scope: 'global' })
      return '/'
    }),
  )

  return app
}

/** Runs a handler. A rejection leads to the step that is required first, or back to the form. */
async function run(handle: Handle, context: Context, onProblem?: Handle) {
  try {
    return { status: 200, result: await handle(context) }
  } catch (error) {
    const step = requiredStep(error)
    if (step) return { status: 303, result: steps[step] }
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
