import type { RootKeys } from '../../platform/kit/derived-keys.ts'
import { keyIdOf } from '../../platform/kit/sealed-box.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import { importedCounter } from './refresh-token.ts'

/** The imported refresh tokens that need a root key. */
export interface TokensOfKey {
  keyId: string
  state: 'current' | 'former' | 'missing'
  tokens: number
}

const count = statement<object, Omit<TokensOfKey, 'state'>>(
  'count_imported_tokens',
  (sql) => `
    select split_part(t.token_hash, '.', 1) as "keyId", count(*)::int as tokens
    from ${sql.table('imported_tokens')} t join ${sql.table('sessions')} s on s.id = t.session_id
    where t.token_hash like '%.%' and s.refresh_token_counter = ${importedCounter}
      and s.revoked_at is null
    group by 1 order by 1`,
  { unprepared: 'it runs once per process' },
)

/**
 * Returns the number of imported refresh tokens that need each root key, by its id: those of
 * sessions that were not renewed here. Tokens that were stored before 0.1.0 do not name their key,
 * and are not counted.
 */
export async function countImportedTokens(sql: Queryable, roots: RootKeys): Promise<TokensOfKey[]> {
  const current = keyIdOf(roots.current)
  const configured = new Set(roots.all.map(keyIdOf))
  const stateOf = (keyId: string) => (configured.has(keyId) ? 'former' : 'missing')
  const counts = await sql.query(count, {})
  return counts.map(({ keyId, tokens }) => ({
    keyId,
    state: keyId === current ? 'current' : stateOf(keyId),
    tokens,
  }))
}

/** Returns those of {@link countImportedTokens} whose root key is not configured. */
export const countTokensOfMissingKeys = async (
  sql: Queryable,
  roots: RootKeys,
): Promise<TokensOfKey[]> =>
  (await countImportedTokens(sql, roots)).filter(({ state }) => state === 'missing')
