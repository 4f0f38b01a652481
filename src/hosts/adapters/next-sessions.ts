import { hasVerifiedFactor } from '../../accounts/users/user.ts'
import { AuthError, type StepUpAction } from '../../platform/errors/auth-error.ts'
import { readHeader } from '../../platform/http/request-like.ts'
import type { RequiredAssurance } from '../../service/api/step-up.ts'
import type { Viewer } from '../../service/api/viewer.ts'
import type { CookieSessions } from '../cookie-sessions/cookie-sessions.ts'
import type { RequestSession } from '../cookie-sessions/request-session.ts'
import { hasNoSession, requiredStep } from '../cookie-sessions/required-step.ts'
import { type Lazy, unwrap } from './lazy.ts'
import { type CreateFormAction, createFormActions } from './next-forms.ts'
import {
  type NextRequestState,
  openSession,
  type ReadableSession,
  readSession,
} from './next-requests.ts'

/** The functions of Next and React that are used, and the pages of the application. */
export interface NextSessionsOptions extends NextRequestState {
  /** Of `next/navigation`. It throws. */
  redirect(url: string): never
  /** Of `react`. */
  cache<Result>(compute: () => Result): () => Result
  /**
   * The pages of the application for the steps that a page or action may require first. By
   * default the pages of the service.
   */
  steps?: Readonly<Partial<Record<StepUpAction, string>>> | undefined
}

/** The assurance that a page requires of its user, and its path. */
export interface RequiredUser extends RequiredAssurance {
  /** The path of the page, where the pages of the service lead back. Default `/`. */
  returnTo?: string | undefined
}

/** The session of a request, for components and actions of Next. */
export interface NextSessions {
  /** Returns the session for server components. It is read once for each page. */
  getSession(): Promise<ReadableSession>
  /**
   * Returns the stored user of a page, or redirects to the page of the step that is required first.
   * Without `aal`, users with a verified second factor need it in this session; `aal: 1` requires a
   * sign-in only, as the page of the second step itself does.
   *
   * @throws AuthError `service_unavailable` (503).
   * @example const { user } = await requireUser({ aal: 2, returnTo: '/admin' })
   */
  requireUser(required?: RequiredUser): Promise<Viewer>
  /** Opens the session for a server action without a form. @throws AuthError as `openSession`. */
  changeSession(): Promise<RequestSession>
  /** Creates the server actions of forms, as `formActions`. Their states have `stepUpUrl`. */
  action: CreateFormAction
}

/**
 * Creates the functions that pages and server actions of an application use.
 *
 * @example
 * // session.ts
 * export const { getSession, requireUser, changeSession, action } = createNextSessions(sessions, {
 *   ...{ cookies, headers, redirect, cache },
 *   steps: { sign_in: '/sign-in', verify: '/verify', enroll: '/enroll' },
 * })
 */
export function createNextSessions(
  sessions: Lazy<CookieSessions>,
  { cookies, headers, redirect, cache, steps = {} }: NextSessionsOptions,
): NextSessions {
  const next = { cookies, headers }
  const getSession = cache(() => readSession(sessions, next))
  const stepUpUrlOf = (error: AuthError, returnTo: string): string | null => {
    const step = requiredStep(error)
    if (step === null) return null
    const own = steps[step]
    if (own !== undefined) return own
    const { signInUrl, stepUpUrl } = unwrap(sessions)
    return hasNoSession(error) ? signInUrl(returnTo) : stepUpUrl(step, returnTo)
  }
  return {
    getSession,
    requireUser: async ({ returnTo = '/', ...required } = {}) => {
      const session = await getSession()
      try {
        const viewer = await session.requireUser(required)
        const isWeak = viewer.aal === 'aal1' && hasVerifiedFactor(viewer.user)
        if (required.aal !== undefined || !isWeak) return viewer
        return await session.requireUser({ ...required, aal: 2 })
      } catch (error) {
        const url = error instanceof AuthError ? stepUpUrlOf(error, returnTo) : null
        if (url === null) throw error
        return redirect(url)
      }
    },
    changeSession: () => openSession(sessions, next),
    action: createFormActions(sessions, next, async (error) =>
      stepUpUrlOf(error, await pageOfForm(next)),
    ),
  }
}

/** Returns the page that contains the form of an action. Browsers send it as `Referer`. */
async function pageOfForm({ headers }: NextRequestState): Promise<string> {
  const page = readHeader({ headers: await headers() }, 'referer') ?? ''
  return URL.canParse(page) ? page : '/'
}
