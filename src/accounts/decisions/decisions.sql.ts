import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import type { Rows } from '../../platform/sql/tables.ts'
import { type DecisionKind, meanings } from './decision.ts'

/** Stores what was decided about many requests. */
export const insertDecisions = statement<{ decisionRows: Rows<'decisions'> }>(
  'insert_decisions',
  (sql, $) => sql.insertRows('decisions', $.decisionRows),
)

/** What was decided about a request, as an operator reads it. */
export interface ExplainedDecision {
  decidedAt: Date
  /** `POST /token` */
  endpoint: string
  /** What was answered. */
  status: number
  /** What kind of rule decided. */
  kind: DecisionKind
  /** The error code, or of a redirect the reason. */
  rule: string
  /** In a sentence. */
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

/** The newest first. An id that a header named may stand for several requests. */
export async function findDecisions(
  sql: Queryable,
  { requestId, now, limit }: { requestId: string; now: Date; limit: number },
): Promise<ExplainedDecision[]> {
  const rows = await sql.query(find, { requestId, now: now.toISOString(), limit })
  return rows.map(({ at, kind, ...row }) => ({
    decidedAt: new Date(at),
    ...row,
    kind: kind as DecisionKind,
    // Another version may write what this one does not know.
    meaning: Object.hasOwn(meanings, kind) ? meanings[kind as DecisionKind] : '',
  }))
}
