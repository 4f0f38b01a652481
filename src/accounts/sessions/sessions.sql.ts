import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import type { Rows, TableFragments } from '../../platform/sql/tables.ts'
import type { SessionRow } from './session.ts'
import {
  byEndingRules,
  type EndingValues,
  endingExpression,
  endingValues,
  lastUseOf,
  ruleExpression,
  withRuleNames,
} from './session-ending.sql.ts'
import type { SessionLimits } from './session-limits.ts'

interface PageOfSessions {
  sessions: SessionRow[]
  /** The number of live sessions on all pages. */
  total: number
}

type FindParameters = { userId: string; limit: number; offset: number; ending: EndingValues }

const lastUsedFirst = (session: string): string => `${lastUseOf(session)} desc, ${session}.id`

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

interface SessionDeletion {
  userId: string
  sessionId: string
  messageRows: Rows<'outbox_messages'>
  auditRows: Rows<'audit_entries'>
}

const deletion = statement<SessionDeletion>(
  'delete_session',
  (sql, $) => `
    with s as (
      delete from ${sql.table('sessions')}
      where id = ${$.sessionId} and user_id = ${$.userId} returning ${endedColumns()}
    )${sql.sessionReports('s')}, m as (
      ${sql.insertRows('outbox_messages', $.messageRows)} where exists (select from s)
    ), a as (
      ${sql.insertRows('audit_entries', $.auditRows)} where exists (select from s)
    )
    select id from s`,
)

/** Ends one session of a user. @returns whether the user had this session. */
export async function deleteSession(sql: Queryable, session: SessionDeletion): Promise<boolean> {
  const ended = await sql.query(deletion, session)
  return ended.length > 0
}

/**
 * Returns the columns of ended sessions that capabilities report.
 *
 * @param row the alias of the table, with a dot.
 */
export const endedColumns = (row = ''): string =>
  ['id', 'user_id', 'oauth_client_id'].map((column) => `${row}${column}`).join(', ')

/**
 * Returns common table expressions that report the sessions of users who are deleted or banned.
 *
 * @param users a common table expression with their ids as `id`.
 * @param condition on the rows `s` and `owner`.
 */
export const reportSessionsOf = (sql: TableFragments, users: string, condition = 'true'): string =>
  `reported as (
      select ${endedColumns('s.')} from ${sql.table('sessions')} s join ${users} owner on s.user_id = owner.id
      where ${condition}
    )${sql.sessionReports('reported')}`

/**
 * Returns a statement that deletes the sessions of users. `returning` may follow it.
 *
 * @param users a common table expression, or a subquery in parentheses, with their ids as `id`.
 * @param condition on the rows `s` and `owner`.
 */
export const deleteSessionsOf = (sql: TableFragments, users: string, condition = 'true'): string =>
  deleteSessionsWhere(sql, `${condition} and s.user_id = owner.id`, [`${users} owner`])

/**
 * Returns a statement that deletes sessions. `returning` may follow it.
 *
 * @param condition on the rows `s`, and those of other tables.
 * @param others the other tables, or common table expressions.
 */
export const deleteSessionsWhere = (
  sql: TableFragments,
  condition: string,
  others: readonly string[] = [],
): string =>
  `delete from ${sql.table('sessions')} s ${others.length > 0 ? `using ${others.join(', ')}` : ''}
      where ${condition}`

/** A page of a scan over all sessions in the order of their ids. */
interface SweptPage {
  deleted: number
  /** The last id of the page; null for the last page. */
  next: string | null
}

type SweepParameters = { after: string; limit: number; ending: EndingValues }

const sweepWith = byEndingRules((rules) =>
  statement<SweepParameters, { deleted: number; last_id: string | null; looked: number }>(
    withRuleNames('sweep_sessions', rules),
    (sql, $) => {
      const ending = ruleExpression(sql, rules, $.ending)
      return `
    with page as materialized (
      select id from ${sql.table('sessions')} where id > ${$.after} order by id limit ${$.limit}
    ), ended as materialized (
      select s.id from ${sql.table('sessions')} s
      where s.id in (select id from page) and (s.revoked_at < ${$.ending.now}
        or ${ending} <> 'superseded' or (${ending} = 'superseded' and ${lastUseOf('s')} < ${$.ending.now}))
      for update of s skip locked
    ), deleted as (
      delete from ${sql.table('sessions')} where id in (select id from ended) returning 1
    )
    select (select count(*)::int from deleted) as deleted, (select count(*)::int from page) as looked,
      (select id from page order by id desc limit 1) as last_id`
    },
  ),
)

/**
 * Deletes the sessions of a page that had ended by the instant of the limits. A session that a
 * newer sign-in replaced is live again when the newer one is signed out. It is deleted only if it
 * was not used since the instant.
 *
 * @param limits as at the instant.
 */
export async function sweepSessions(
  sql: Queryable,
  limits: SessionLimits,
  { after, limit }: { after: string; limit: number },
): Promise<SweptPage> {
  const [row] = await sql.query(sweepWith(limits), { after, limit, ending: endingValues(limits) })
  if (!row) throw new Error('no sessions were counted')
  return { deleted: row.deleted, next: row.looked === limit ? row.last_id : null }
}
