import { AuthError, type StepUpAction } from '../../platform/errors/auth-error.ts'
import { isEndOfCaller } from './session-api.ts'

/**
 * Returns the step that the user completes before a call succeeds: that of `details.stepUp`, and
 * `sign_in` without a session or after its end. Null for any other error.
 *
 * @example
 * const step = requiredStep(error)
 * if (step) return redirect(pages[step])
 */
export function requiredStep(error: unknown): StepUpAction | null {
  if (!(error instanceof AuthError)) return null
  if (error.details.stepUp !== undefined) return error.details.stepUp
  if (error.code === 'insufficient_aal') return 'verify'
  return hasNoSession(error) ? 'sign_in' : null
}

/** `requireUser` rejects a session that has ended with 401, other methods with 403. */
export const hasNoSession = (error: AuthError): boolean =>
  error.status === 401 || isEndOfCaller(error)
