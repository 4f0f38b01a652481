import { AuthError } from '../../platform/errors/auth-error.ts'
import type { AuthContext } from '../auth-context.ts'

/**
 * Rejects email or phone where the configuration disables it. The wire gives sign-up and sign-in
 * different statuses.
 */
export function requireProvider(
  { config }: Pick<AuthContext, 'config'>,
  kind: 'email' | 'phone',
  purpose: 'signup' | 'login',
): void {
  if (config[kind].enabled) return
  const status = purpose === 'signup' ? 400 : 422
  const name = kind === 'email' ? 'Email' : 'Phone'
  throw new AuthError(`${kind}_provider_disabled`, status, `${name} ${purpose}s are disabled`)
}
