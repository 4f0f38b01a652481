import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import type { ProviderTokenRow } from './provider-token.ts'

const find = statement<{ userId: string; provider: string }, { token: ProviderTokenRow }>(
  'find_provider_token',
  (sql, $) => `
    select to_jsonb(t) as token
    from ${sql.table('provider_tokens')} t join ${sql.table('identities')} i on i.id = t.identity_id
    where i.user_id = ${$.userId} and i.provider = ${$.provider} and i.suspended_at is null
    order by i.last_sign_in_at desc nulls last, i.id limit 1`,
)

/**
 * Returns the tokens of a user's account at a provider. With several accounts there, the one that
 * signed in last applies.
 */
export async function findProviderToken(
  sql: Queryable,
  whose: { userId: string; provider: string },
): Promise<ProviderTokenRow | null> {
  const [found] = await sql.query(find, whose)
  return found?.token ?? null
}
