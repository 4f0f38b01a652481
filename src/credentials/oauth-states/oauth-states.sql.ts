import { deleteSurplusRows } from '../../platform/sql/delete-rows.sql.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import { type NewRow, type Rows, rowsOf } from '../../platform/sql/tables.ts'
import type { OauthStateRow } from './oauth-state.entity.ts'

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

const consume = statement<{ id: string }, { state: OauthStateRow }>(
  'consume_oauth_state',
  (sql, $) => `
    delete from ${sql.table('oauth_states')} s where s.id = ${$.id} and s.proved_identity is null
    returning to_jsonb(s) as state`,
)

/** Consumes a state, expired or not. Only one of several concurrent callbacks receives it. */
export async function consumeOauthState(sql: Queryable, id: string): Promise<OauthStateRow | null> {
  const [row] = await sql.query(consume, { id })
  return row?.state ?? null
}

/** A confirmation of linking, as its form submits it. */
export interface SubmittedConfirmation {
  id: string
  /** The hash of the secret of the browser that showed the page. */
  browserHash: string
}

const consumeConfirmation = statement<SubmittedConfirmation, { state: OauthStateRow }>(
  'consume_link_confirmation',
  (sql, $) => `
    delete from ${sql.table('oauth_states')} s
    where s.id = ${$.id} and s.browser_hash = ${$.browserHash} and s.proved_identity is not null
    returning to_jsonb(s) as state`,
)

/**
 * Consumes the confirmation of a linking flow, expired or not. A submission from another browser
 * does not change it.
 */
export async function consumeLinkConfirmation(
  sql: Queryable,
  submitted: SubmittedConfirmation,
): Promise<OauthStateRow | null> {
  const [row] = await sql.query(consumeConfirmation, { ...submitted })
  return row?.state ?? null
}
