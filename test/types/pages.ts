/** The part of the application (`app.ts`) with pages for signed-in users. */
import { type CookieSessions, requiredStep } from 'latchkey/cookies'
import { errorText } from 'latchkey/error-texts'
import {
  type ExpressPageHandler,
  type ExpressPageRequest,
  type ExpressResponse,
  type ExpressSessionHandler,
  type ExpressSessionResponse,
  finishFlow,
  requireUser,
  type SessionLocals,
} from 'latchkey/express'
import {
  type CreateFormAction,
  createNextSessions,
  type NextSessions,
  type NextSessionsOptions,
  type ReadableSession,
  type RequiredUser,
  requireUser as requireNextUser,
} from 'latchkey/next'
import { requireUser as requireSvelteKitUser, type SvelteKitRedirect } from 'latchkey/sveltekit'

export const guard = (sessions: CookieSessions): ExpressSessionHandler => requireUser(sessions)

export const callback = (sessions: CookieSessions): ExpressPageHandler =>
  finishFlow(sessions, { to: '/account', failed: '/sign-in' })

export const userOfExpress = (_request: ExpressPageRequest, response: ExpressSessionResponse) =>
  response.locals.session.viewer?.userId ?? null

export const leave = ({ session }: SessionLocals, response: ExpressResponse): Promise<unknown> =>
  session.signOut().then(() => response.redirect(303, '/'))

export const userOfNext = async (
  sessions: () => CookieSessions,
  session: ReadableSession,
  redirect: (url: string) => never,
): Promise<string> => {
  const { userId } = await requireNextUser(sessions, session, redirect, '/dashboard')
  return userId
}

export const userOfSvelteKit = async (
  sessions: CookieSessions,
  page: Parameters<typeof requireSvelteKitUser>[1],
  redirect: SvelteKitRedirect,
): Promise<string> => (await requireSvelteKitUser(sessions, page, redirect)).userId

export const guardOfStep = (sessions: CookieSessions): ExpressSessionHandler =>
  requireUser(sessions, { aal: 1 })

export const sessionsOfNext = (
  sessions: CookieSessions,
  options: NextSessionsOptions,
): NextSessions => createNextSessions(sessions, options)

export const renameIn = (action: CreateFormAction) =>
  action(async ({ api }, { name }) => {
    const { id } = await api.updateUser({ data: { name } })
    return { id }
  })

const adminPage: RequiredUser = { aal: 2, within: '5m', returnTo: '/admin' }

export const administrator = async ({ requireUser }: NextSessions): Promise<string> =>
  (await requireUser(adminPage)).user.id

export const stepAfter = (sessions: CookieSessions, error: unknown): string | null => {
  const step = requiredStep(error)
  return step && sessions.stepUpUrl(step, '/account')
}

export const shownInForm = (error: unknown): string => errorText(error, ['de'])
