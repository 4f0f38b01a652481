import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'

const count = statement<object, { keyId: string; tokens: number }>(
  'count_imported_tokens',
  (sql) => `
    select split_part(token_hash, '.', 1) as "keyId", count(*)::int as tokens
    from ${sql.table('imported_tokens')} where token_hash like '%.%' group by 1 order by 1`,
  { unprepared: 'it runs once per import' },
)

/**
 * Returns the number of imported refresh tokens that need each root key, by its id. Tokens that
 * were stored before 0.1.0 do not name their key, and are not counted.
 */
export const countImportedTokens = (sql: Queryable): Promise<{ keyId: string; tokens: number }[]> =>
  sql.query(count, {})
