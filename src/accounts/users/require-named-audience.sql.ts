import { validationFailed } from '../../platform/errors/request-errors.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import type { AuthContext } from '../auth-context.ts'

const find = statement<{ audience: string }, { known: boolean }>(
  'has_audience',
  (sql, $) =>
    `select exists (select from ${sql.table('users')} where audience = ${$.audience}) as known`,
)

/** Returns whether any user has this audience. */
export async function hasAudience(sql: Queryable, audience: string): Promise<boolean> {
  const [row] = await sql.query(find, { audience })
  return row?.known ?? false
}

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
