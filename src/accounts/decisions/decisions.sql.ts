import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import type { Rows } from '../../platform/sql/tables.ts'
import { type DecisionKind, meanings } from './decision.ts'

/** Stores the decisions about many requests. */
export const insertDecisions = statement<{ decisionRows: Rows<'decisions'> }>(
  'insert_decisions',
  (sql, $) => sql.insertRows('decisions', $.decisionRows),
)

/** A decision about a request, for operators. */
export interface ExplainedDecision {
  decidedAt: Date
  /** Such as `POST /token`. */
  endpoint: string
  /** The status of the response. */
  status: number
  /** The kind of rule that decided. */
  kind: DecisionKind
  /** The error code, or the reason for a redirect. */
  rule: string
  /** A description of the kind, in a sentence. */
  meaning: string
}

const find = statement<
  { requestId: string; now: string; limit: number },
  { at: string; endpoint: string; status: number; kind: string; rule: string }
>(
  'find_decisions',
  (sql, $) => `
    select to_jsonb(created_at) #>> '{}' as at, endpoint, status, kind, rule
    from ${sql.table('decisions')}
    where request_id = ${$.requestId} and expires_at > ${$.now}
    order by created_at desc, id limit ${$.limit}`,
)

/**
 * Returns the decisions about a request, the newest first. An id from a header may identify several
 * requests.
 */
export async function findDecisions(
  sql: Queryable,
  { requestId, now, limit }: { requestId: string; now: Date; limit: number },
): Promise<ExplainedDecision[]> {
  const rows = await sql.query(find, { requestId, now: now.toISOString(), limit })
  return rows.map(({ at, kind, ...row }) => ({
    decidedAt: new Date(at),
    ...row,
    kind: kind as DecisionKind,
    // Another version may write kinds that this version does not define.
    meaning: Object.hasOwn(meanings, kind) ? meanings[kind as DecisionKind] : '',
  }))
}
