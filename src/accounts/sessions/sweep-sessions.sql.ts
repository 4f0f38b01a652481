import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import {
  byEndingRules,
  type EndingValues,
  endingValues,
  ruleExpression,
  withRuleNames,
} from './session-ending.sql.ts'
import type { SessionLimits } from './session-limits.ts'
import { lastUseOf } from './session-time.sql.ts'

/** A page of a scan over all sessions in the order of their ids. */
export interface SweptPage {
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
