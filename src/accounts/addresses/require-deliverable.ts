import { AuthError } from '../../platform/errors/auth-error.ts'
import type { AuthContext } from '../auth-context.ts'
import type { Address } from '../users/addresses.ts'

/**
 * Refuses an email address that the configured checks find bad. It comes before anybody is looked up, so that neither
 * the answer nor its time tells who has an account.
 *
 * @throws AuthError `email_address_invalid` (400), for whatever reason: which one it is would help to get around it.
 */
export async function requireDeliverable(
  { isDeliverable }: AuthContext,
  { kind, value }: Address,
): Promise<void> {
  if (kind !== 'email' || !isDeliverable || (await isDeliverable(value))) return
  throw new AuthError('email_address_invalid', 400, 'email: Email address is invalid')
}
