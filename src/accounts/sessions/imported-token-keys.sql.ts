import type { RootKeys } from '../../platform/kit/derived-keys.ts'
import { keyIdOf } from '../../platform/kit/sealed-box.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'

/** The imported refresh tokens that need a root key. */
interface TokensOfKey {
  keyId: string
  tokens: number
}

const count = statement<object, TokensOfKey>(
  'count_imported_tokens',
  (sql) => `
    select split_part(token_hash, '.', 1) as "keyId", count(*)::int as tokens
    from ${sql.table('imported_tokens')} where token_hash like '%.%' group by 1 order by 1`,
  { unprepared: 'it runs by hand' },
)

/**
 * Returns the number of imported refresh tokens that need a root key that is not configured, by its
 * id. Tokens that were stored before 0.1.0 do not name their key, and are not counted.
 */
export async function countTokensOfMissingKeys(
  sql: Queryable,
  roots: RootKeys,
): Promise<TokensOfKey[]> {
  const configured = new Set([roots.current, ...roots.all].map(keyIdOf))
  const counts = await sql.query(count, {})
  return counts.filter(({ keyId }) => !configured.has(keyId))
}
