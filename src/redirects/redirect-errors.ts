import { AuthError } from '../errors/auth-error.ts'

export const redirectNotPermitted = (): AuthError =>
  new AuthError('validation_failed', 400, 'redirect_to: is not a permitted target')
