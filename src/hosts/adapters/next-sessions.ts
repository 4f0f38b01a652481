import {
  AuthError,
  type AuthErrorCode,
  type StepUpAction,
} from '../../platform/errors/auth-error.ts'
import { readHeader } from '../../platform/http/request-like.ts'
import type { RequiredAssurance } from '../../service/api/step-up.ts'
import type { Viewer } from '../../service/api/viewer.ts'
import type { CookieSessions } from '../cookie-sessions/cookie-sessions.ts'
import type { RequestSession } from '../cookie-sessions/request-session.ts'
import { requiredStep } from '../cookie-sessions/required-step.ts'
import { type Lazy, unwrap } from './lazy.ts'
import {
  type NextRequestState,
  openSession,
  type ReadableSession,
  readSession,
} from './next-requests.ts'
import { stepUrlOf } from './require-page-user.ts'

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
   * Without `aal`, users with a verified second factor need it in this session, as in
   * `session.requireUser`.
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
    return own ?? stepUrlOf(unwrap(sessions), error, returnTo)
  }
  return {
    getSession,
    requireUser: async ({ returnTo = '/', ...required } = {}) => {
      const session = await getSession()
      try {
        return await session.requireUser(required)
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

/** The texts of a submitted form. Files are left out. */
export type FormFields = Readonly<Record<string, string>>

/** The state of a form: the result of its action, or the reason of a rejection. */
export type FormState<Result extends object = object> = Partial<Result> & FormProblem

interface FormProblem {
  /** The message of the rejection, for the user. */
  problem?: string
  code?: AuthErrorCode
  /** The step that the action requires first, as in `details.stepUp` of the error. */
  stepUp?: StepUpAction
  /** The page of that step, or to sign in: with actions of `createNextSessions`. */
  stepUpUrl?: string
}

/** An action that redirects returns nothing. */
type ResultOf<Returned> = [Extract<Returned, object>] extends [never]
  ? object
  : Extract<Returned, object>

/** A server action, for `useActionState`. */
export type FormAction<Result extends object = object> = (
  state: FormState<Result>,
  form: FormData,
) => Promise<FormState<Result>>

/** Creates the server action of a form. */
export type CreateFormAction = <Returned>(
  act: (session: RequestSession, fields: FormFields) => Promise<Returned>,
) => FormAction<ResultOf<Returned>>

/**
 * Returns the function that creates server actions of forms. Each opens the session of its request
 * as `openSession` does. An `AuthError` becomes the state of the form; other errors are thrown.
 *
 * @param next `cookies` and `headers` of `next/headers`.
 * @example
 * const action = formActions(sessions, { cookies, headers })
 * export const signIn = action(async ({ api }, { email, password }) => {
 *   await api.signInWithPassword({ email, password })
 *   redirect('/account')
 * })
 */
export const formActions = (
  sessions: Lazy<CookieSessions>,
  next: NextRequestState,
): CreateFormAction => createFormActions(sessions, next, async () => null)

/** @param stepUpUrlOf returns the page where the user continues; null without one. */
const createFormActions =
  (
    sessions: Lazy<CookieSessions>,
    next: NextRequestState,
    stepUpUrlOf: (error: AuthError) => Promise<string | null>,
  ): CreateFormAction =>
  <Returned>(act: (session: RequestSession, fields: FormFields) => Promise<Returned>) =>
  async (_state: object, form: FormData) => {
    try {
      const result = await act(await openSession(sessions, next), textsOf(form))
      return (result ?? {}) as FormState<ResultOf<Returned>>
    } catch (error) {
      if (!(error instanceof AuthError)) throw error
      const { message: problem, code, details } = error
      const { stepUp } = details
      const stepUpUrl = await stepUpUrlOf(error)
      return {
        problem,
        code,
        ...(stepUp && { stepUp }),
        ...(stepUpUrl !== null && { stepUpUrl }),
      } as FormState<ResultOf<Returned>>
    }
  }

const textsOf = (form: FormData): FormFields =>
  Object.fromEntries(
    [...form].flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  )
