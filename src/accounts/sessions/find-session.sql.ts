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
  type TokenEnding,
  tokenEndingExpression,
  withRuleNames,
} from './session-ending.sql.ts'
import type { SessionLimits } from './session-limits.ts'

export interface CallerRow<User> {
  user: User
  /** Null when the session does not exist, belongs to another user, or the token has no session. */
  session: SessionRow | null
  /** The reason why the token is no longer accepted; null while it is. */
  ending: TokenEnding | null
}

/** The user and session in a token. */
interface CallerLookUp {
  userId: string
  sessionId: string | null
  limits: SessionLimits
}

type FindParameters = { userId: string; sessionId: string | null; ending: EndingValues }

const findWith = memoize(<User>(user: Selection<User>) =>
  byEndingRules((rules) =>
    statement<FindParameters, { caller: CallerRow<User> }>(
      withRuleNames('find_caller', rules),
      (sql, $) => `
        select json_build_object('user', ${user(sql, 'u')}, 'session', row_to_json(s),
          'ending', ${tokenEndingExpression(sql, rules, $.ending, $.sessionId)}) as caller
        from ${sql.table('users')} u
        left join ${sql.table('sessions')} s on s.id = ${$.sessionId} and s.user_id = u.id
        where u.id = ${$.userId}`,
    ),
  ),
)

/** Returns the user and session of a token, whether or not they are still active. */
export async function findCaller<User>(
  sql: Queryable,
  user: Selection<User>,
  { limits, ...named }: CallerLookUp,
): Promise<CallerRow<User> | null> {
  const values = { ...named, ending: endingValues(limits) }
  const [row] = await sql.query(findWith(user)(limits), values)
  return row?.caller ?? null
}

interface RefreshableSession<User> {
  session: SessionRow
  user: User
}

type RefreshParameters = { presented: string; ending: EndingValues }

const findForRefreshWith = memoize(<User>(user: Selection<User>) => {
  const find = (isImported: boolean) =>
    byEndingRules((rules) =>
      statement<RefreshParameters, { found: RefreshableSession<User> }>(
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
  const { own, imported } = findForRefreshWith(user)
  const [find, presented] =
    'hashes' in token ? [imported, JSON.stringify(token.hashes)] : [own, token.sessionId]
  const [row] = await sql.query(find(limits), { presented, ending: endingValues(limits) })
  return row?.found ?? null
}
