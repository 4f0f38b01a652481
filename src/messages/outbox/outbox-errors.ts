import { AuthError } from '../../errors/auth-error.ts'

/** Unknown; or sent, and what was asked for needs what is forgotten then. */
export const noSuchMessage = (): AuthError =>
  new AuthError('not_found', 404, 'There is no such message, or it was sent')
