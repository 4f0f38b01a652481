import {
  AuthError,
  type AuthErrorCode,
  type StepUpAction,
} from '../../platform/errors/auth-error.ts'
import type { CookieSessions } from '../cookie-sessions/cookie-sessions.ts'
import type { RequestSession } from '../cookie-sessions/request-session.ts'
import type { Lazy } from './lazy.ts'
import { type NextRequestState, openSession } from './next-requests.ts'

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
export const createFormActions =
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
