import type { Factor } from '../../../accounts/users/user.ts'
import { validationFailed } from '../../../platform/errors/request-errors.ts'
import type { AuthenticatorOutput } from './factor-kind.ts'

/** A code, from an app or from a message. */
export interface CodeOutput extends AuthenticatorOutput {
  credentialId: null
  code: string
}

/** @throws AuthError `validation_failed` (400) without a code. */
export function readCode(_factor: Factor, { code }: { code?: unknown }): CodeOutput {
  if (typeof code !== 'string' || code === '') {
    throw validationFailed('code: Code needs to be non-empty')
  }
  return { credentialId: null, code: code.trim() }
}
