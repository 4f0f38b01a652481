import type { Queryable } from '../sql/queryable.ts'
import { statement } from '../sql/statement.ts'
import type { OauthStateRow } from './oauth-state.entity.ts'

const consume = statement<{ id: string }, { state: OauthStateRow }>(
  'consume_oauth_state',
  (sql, $) => `
    delete from ${sql.table('oauth_states')} s where s.id = ${$.id} returning to_jsonb(s) as state`,
)

/** Takes a state back, whether or not it has expired: of many who come with it, one gets it. */
export async function consumeOauthState(sql: Queryable, id: string): Promise<OauthStateRow | null> {
  const [row] = await sql.query(consume, { id })
  return row?.state ?? null
}
