import { deleteSurplusRows } from '../../platform/sql/delete-surplus-rows.sql.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import { type NewRow, type Rows, rowsOf } from '../../platform/sql/tables.ts'

/** The maximum number of stored linking flows per user. A further one replaces the oldest. */
export const maxLinkingFlows = 100

const insert = statement<{ stateRows: Rows<'oauth_states'>; linkingUserId: string | null }>(
  'insert_oauth_state',
  (sql, $) => `
    with surplus as (
      ${deleteSurplusRows(sql, 'oauth_states', { owner: `linking_user_id = ${$.linkingUserId}`, most: maxLinkingFlows })}
    )
    ${sql.insertRows('oauth_states', $.stateRows)}`,
)

/** Stores the state of a flow, or the confirmation that it waits for. */
export async function storeOauthState(
  sql: Queryable,
  state: NewRow<'oauth_states'>,
): Promise<void> {
  const linkingUserId = state.linking_user_id ?? null
  await sql.query(insert, { stateRows: rowsOf('oauth_states', state), linkingUserId })
}
