import { sha256Hex } from '../kit/digest.ts'
import type { Queryable } from '../sql/queryable.ts'
import type { AuthorizationCodeRow } from './authorization-code.ts'

/**
 * The row of a code with its user. To find it does not spend it: a wrong verifier leaves it be.
 *
 * @param user columns of the user, whose table has the alias `u`.
 */
export async function findAuthorizationCode<User>(
  sql: Queryable,
  user: () => string,
  code: string,
): Promise<(User & { code: AuthorizationCodeRow }) | null> {
  const [found] = await sql.query<User & { code: AuthorizationCodeRow }>({
    name: 'find_authorization_code',
    text: () => `
      select to_jsonb(c) as code, ${user()}
      from ${sql.table('authorization_codes')} c join ${sql.table('users')} u on u.id = c.user_id
      where c.code_hash = $1 and u.deleted_at is null`,
    values: [sha256Hex(code)],
  })
  return found ?? null
}
