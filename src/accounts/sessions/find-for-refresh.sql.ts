import { memoize } from '../../platform/kit/memoize.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import type { Selection } from '../../platform/sql/tables.ts'
import { importedSession, type PresentedToken } from './rotate.sql.ts'
import type { SessionRow } from './session.ts'
import {
  byEndingRules,
  type EndingValues,
  endingExpression,
  endingValues,
  withRuleNames,
} from './session-ending.sql.ts'
import type { SessionLimits } from './session-limits.ts'

interface RefreshableSession<User> {
  session: SessionRow
  user: User
}

type FindParameters = { presented: string; ending: EndingValues }

const findWith = memoize(<User>(user: Selection<User>) => {
  const find = (isImported: boolean) =>
    byEndingRules((rules) =>
      statement<FindParameters, { found: RefreshableSession<User> }>(
        withRuleNames(isImported ? 'find_imported_for_refresh' : 'find_for_refresh', rules),
        (sql, $) => `
          select json_build_object('session', row_to_json(s), 'user', ${user(sql, 'u')}) as found
          from ${sql.table('sessions')} s join ${sql.table('users')} u on u.id = s.user_id
          where s.id = ${isImported ? importedSession(sql, $.presented) : $.presented}
            and ${endingExpression(sql, rules, $.ending)} is null`,
      ),
    )
  return { own: find(false), imported: find(true) }
})

/**
 * Returns the live session of a refresh token with its user, before the renewal; null without one.
 * The rotation decides whether the token renews it.
 */
export async function findForRefresh<User>(
  sql: Queryable,
  user: Selection<User>,
  token: PresentedToken,
  limits: SessionLimits,
): Promise<RefreshableSession<User> | null> {
  const { own, imported } = findWith(user)
  const [find, presented] =
    'hashes' in token ? [imported, JSON.stringify(token.hashes)] : [own, token.sessionId]
  const [row] = await sql.query(find(limits), { presented, ending: endingValues(limits) })
  return row?.found ?? null
}
