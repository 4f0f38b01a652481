import { validationFailed } from '../../platform/errors/request-errors.ts'
import type { AuthContext } from '../auth-context.ts'
import { hasAudience } from './has-audience.sql.ts'

/**
 * Refuses a request for an address in an audience that no operator has named: neither by a setting nor by making
 * a user there. Anybody can send the header that asks for one.
 *
 * @throws AuthError `validation_failed` (400).
 */
export async function requireNamedAudience({ config, request, sql }: AuthContext): Promise<void> {
  const { audience } = request
  if (audience === config.jwt.audience || config.jwt.signUpAudiences.includes(audience)) return
  if (await hasAudience(sql, audience)) return
  throw validationFailed('aud: there are no users of this audience')
}
