import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'

/** The secret of a factor, as it is stored. */
export interface FactorSecret {
  id: string
  secret: string
}

const unprepared = 'it runs once per batch of an import'

const find = statement<{ ids: string }, FactorSecret & { user_id: string }>(
  'find_imported_factor_secrets',
  (sql, $) => `
    select f.id, f.user_id, f.secret
    from ${sql.table('factors')} f join ${sql.table('imported_factors')} i on i.id = f.id
    where f.secret is not null
      and f.id in (select id::uuid from jsonb_array_elements_text(${$.ids}::jsonb) as given (id))`,
  { unprepared },
)

/** Returns the sealed secrets of those of these factors that were imported. */
export const findImportedFactorSecrets = (
  sql: Queryable,
  ids: readonly string[],
): Promise<(FactorSecret & { user_id: string })[]> => sql.query(find, { ids: JSON.stringify(ids) })

/** A sealed secret to store in place of the former one. */
export interface ReplacedSecret {
  id: string
  from: string
  to: string
}

const replace = statement<{ secrets: string }, { id: string }>(
  'replace_factor_secrets',
  (sql, $) => `
    update ${sql.table('factors')} f set secret = given."to"
    from jsonb_to_recordset(${$.secrets}::jsonb) as given (id uuid, "from" text, "to" text)
    where f.id = given.id and f.secret = given."from" returning f.id`,
  { unprepared },
)

/** Replaces secrets that are unchanged since they were read, and returns their number. */
export async function replaceFactorSecrets(
  sql: Queryable,
  secrets: readonly ReplacedSecret[],
): Promise<number> {
  if (secrets.length === 0) return 0
  return (await sql.query(replace, { secrets: JSON.stringify(secrets) })).length
}
