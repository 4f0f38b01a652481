import { statement } from '../../platform/sql/statement.ts'
import type { Rows } from '../../platform/sql/tables.ts'

/** Stores what was decided about many requests. */
export const insertDecisions = statement<{ decisionRows: Rows<'decisions'> }>(
  'insert_decisions',
  (sql, $) => sql.insertRows('decisions', $.decisionRows),
)
