import { sha256Hex } from '../../platform/kit/digest.ts'
import { memoize } from '../../platform/kit/memoize.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import type { Selection } from '../../platform/sql/tables.ts'
import type { AuthorizationCodeRow } from './authorization-code.ts'

const findWith = memoize(<User>(user: Selection<User>) =>
  statement<{ codeHash: string }, User & { code: AuthorizationCodeRow }>(
    'find_authorization_code',
    (sql, $) => `
      select to_jsonb(c) as code, ${user(sql, 'u')}
      from ${sql.table('authorization_codes')} c join ${sql.table('users')} u on u.id = c.user_id
      where c.code_hash = ${$.codeHash} and u.deleted_at is null`,
  ),
)

/**
 * Returns the row of a code with its user. It does not consume the code: a wrong verifier leaves it
 * valid.
 */
export async function findAuthorizationCode<User>(
  sql: Queryable,
  user: Selection<User>,
  code: string,
): Promise<(User & { code: AuthorizationCodeRow }) | null> {
  const [found] = await sql.query(findWith(user), { codeHash: sha256Hex(code) })
  return found ?? null
}
