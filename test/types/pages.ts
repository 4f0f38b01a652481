/** The part of the application (`app.ts`) with pages for signed-in users. */
import type { CookieSessions } from 'latchkey/cookies'
import {
  type ExpressPageHandler,
  type ExpressPageRequest,
  type ExpressResponse,
  requireUser,
} from 'latchkey/express'
import { type ReadableSession, requireUser as requireNextUser } from 'latchkey/next'
import { requireUser as requireSvelteKitUser, type SvelteKitRedirect } from 'latchkey/sveltekit'

export const guard = (sessions: CookieSessions): ExpressPageHandler => requireUser(sessions)

export const userOfExpress = (_request: ExpressPageRequest, response: ExpressResponse) =>
  response.locals.session?.viewer?.userId ?? null

export const userOfNext = (
  sessions: () => CookieSessions,
  session: ReadableSession,
  redirect: (url: string) => never,
): string => requireNextUser(sessions, session, redirect, '/dashboard').userId

export const userOfSvelteKit = (
  sessions: CookieSessions,
  page: Parameters<typeof requireSvelteKitUser>[1],
  redirect: SvelteKitRedirect,
): string => requireSvelteKitUser(sessions, page, redirect).userId
