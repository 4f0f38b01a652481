import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import type { SessionRow } from './session.ts'
import {
  byEndingRules,
  type EndingValues,
  endingExpression,
  endingValues,
  withRuleNames,
} from './session-ending.sql.ts'
import type { SessionLimits } from './session-limits.ts'

const findWith = byEndingRules((rules) =>
  statement<{ userId: string; most: number; ending: EndingValues }, { session: SessionRow }>(
    withRuleNames('find_sessions', rules),
    (sql, $) => `
      select to_jsonb(s) as session
      from ${sql.table('sessions')} s join ${sql.table('users')} u on u.id = s.user_id
      where s.user_id = ${$.userId} and ${endingExpression(sql, rules, $.ending)} is null
      order by coalesce(s.refreshed_at, s.created_at) desc, s.id limit ${$.most}::int`,
  ),
)

/**
 * The live sessions of a user, the last used first.
 *
 * @param most how many are returned at most: an import may have stored more than a user may have.
 */
export async function findSessions(
  sql: Queryable,
  userId: string,
  limits: SessionLimits,
  most: number,
): Promise<SessionRow[]> {
  const rows = await sql.query(findWith(limits), {
    userId,
    most,
    ending: endingValues(limits),
  })
  return rows.map(({ session }) => session)
}
