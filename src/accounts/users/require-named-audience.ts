import { validationFailed } from '../../platform/errors/request-errors.ts'
import type { AuthContext } from '../auth-context.ts'
import { hasAudience } from './has-audience.sql.ts'

/**
 * Rejects a request for an address in an audience that no operator has introduced, by a setting or
 * by a user in it. Any client can send the header with an audience.
 *
 * @throws AuthError `validation_failed` (400).
 */
export async function requireNamedAudience({ config, request, sql }: AuthContext): Promise<void> {
  const { audience } = request
  if (audience === config.jwt.audience || config.jwt.signUpAudiences.includes(audience)) return
  if (await hasAudience(sql, audience)) return
  throw validationFailed('aud: there are no users of this audience')
}
