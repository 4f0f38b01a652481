import type { Queryable } from '../sql/queryable.ts'
import { statement } from '../sql/statement.ts'
import { type NewRow, type Rows, rowsOf } from '../sql/tables.ts'

const insert = statement<{ stateRows: Rows<'oauth_states'> }>('insert_oauth_state', (sql, $) =>
  sql.insertRows('oauth_states', $.stateRows),
)

/** Remembers somebody who leaves for a provider. */
export async function storeOauthState(
  sql: Queryable,
  state: NewRow<'oauth_states'>,
): Promise<void> {
  await sql.query(insert, { stateRows: rowsOf('oauth_states', state) })
}
