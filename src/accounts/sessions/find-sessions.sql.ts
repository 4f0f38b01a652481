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

export interface PageOfSessions {
  sessions: SessionRow[]
  /** The number of live sessions on all pages. */
  total: number
}

type FindParameters = { userId: string; limit: number; offset: number; ending: EndingValues }

const lastUsedFirst = (session: string): string =>
  `coalesce(${session}.refreshed_at, ${session}.created_at) desc, ${session}.id`

const findWith = byEndingRules((rules) =>
  statement<FindParameters, PageOfSessions>(
    withRuleNames('find_sessions', rules),
    (sql, $) => `
      with live as (
        select s.* from ${sql.table('sessions')} s join ${sql.table('users')} u on u.id = s.user_id
        where s.user_id = ${$.userId} and ${endingExpression(sql, rules, $.ending)} is null
      ), page as (
        select l.* from live l order by ${lastUsedFirst('l')}
        limit ${$.limit}::int offset ${$.offset}::bigint
      )
      select (select count(*)::int from live) as total,
        (select coalesce(json_agg(row_to_json(p) order by ${lastUsedFirst('p')}), '[]')
          from page p) as sessions
      from ${sql.table('users')} where id = ${$.userId}`,
  ),
)

/**
 * Returns one page of the live sessions of a user, the last used first.
 *
 * @returns null where there is no such user.
 */
export async function findSessions(
  sql: Queryable,
  userId: string,
  limits: SessionLimits,
  { limit, offset }: { limit: number; offset: number },
): Promise<PageOfSessions | null> {
  const [row] = await sql.query(findWith(limits), {
    userId,
    limit,
    offset,
    ending: endingValues(limits),
  })
  return row ?? null
}

const mostIps = 1_000

const find = statement<{ userId: string }, { ip: string }>(
  'find_session_ips',
  (sql, $) => `
    select distinct host(ip) as ip from ${sql.table('sessions')}
    where user_id = ${$.userId} and ip is not null order by 1 limit ${mostIps}`,
)

/** Returns the addresses from which sessions of a user were last used, up to a maximum. */
export async function findSessionIps(sql: Queryable, userId: string): Promise<string[]> {
  return (await sql.query(find, { userId })).map(({ ip }) => ip)
}
