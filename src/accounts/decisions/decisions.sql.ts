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
  requestId: string
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

interface DecisionRow {
  requestId: string
  at: string
  endpoint: string
  status: number
  kind: string
  rule: string
}

const find = statement<{ requestIds: string; now: string; limit: number }, DecisionRow>(
  'find_decisions',
  (sql, $) => `
    select w.request_id as "requestId", to_jsonb(d.created_at) #>> '{}' as at, d.endpoint, d.status,
      d.kind, d.rule
    from jsonb_array_elements_text(${$.requestIds}::jsonb) w (request_id), lateral (
      select * from ${sql.table('decisions')}
      where request_id = w.request_id and expires_at > ${$.now}
      order by created_at desc, id limit ${$.limit}
    ) d
    order by d.created_at desc, d.id`,
)

/**
 * Returns the decisions about requests, the newest first, in one statement. An id from a header may
 * identify several requests.
 *
 * @param requestIds different ids.
 * @param limit the number of decisions for each id.
 */
export async function findDecisions(
  sql: Queryable,
  { requestIds, now, limit }: { requestIds: readonly string[]; now: Date; limit: number },
): Promise<ExplainedDecision[]> {
  const ids = JSON.stringify(requestIds)
  const rows = await sql.query(find, { requestIds: ids, now: now.toISOString(), limit })
  return rows.map(({ at, kind, ...row }) => ({
    decidedAt: new Date(at),
    ...row,
    kind: kind as DecisionKind,
    // Another version may write kinds that this version does not define.
    meaning: Object.hasOwn(meanings, kind) ? meanings[kind as DecisionKind] : '',
  }))
}
