import type { ActRows } from '../../accounts/acts/record-act.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import { type NewRow, type Rows, rowsOf } from '../../platform/sql/tables.ts'

const findIds = statement<{ ids: string }, { id: string }>(
  'find_oauth_client_ids',
  (sql, $) => `
    select id from ${sql.table('oauth_clients')}
    where id in (select jsonb_array_elements_text(${$.ids}::jsonb))`,
)

/** Returns those of the ids that belong to clients. */
export async function findClientIds(
  sql: Queryable,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  const found = await sql.query(findIds, { ids: JSON.stringify([...new Set(ids)]) })
  return new Set(found.map(({ id }) => id))
}

const insertClients = statement<ActRows & { clientRows: Rows<'oauth_clients'> }>(
  'insert_imported_oauth_clients',
  (sql, $) => `
    with c as (
      ${sql.insertRows('oauth_clients', $.clientRows)}
    ), m as (
      ${sql.insertRows('outbox_messages', $.messageRows)}
    ), a as (
      ${sql.insertRows('audit_entries', $.auditRows)}
    )
    select 1`,
)

/** Stores imported clients, whose ids no client has. */
export async function insertImportedClients(
  sql: Queryable,
  clients: readonly NewRow<'oauth_clients'>[],
  rows: ActRows,
): Promise<void> {
  await sql.query(insertClients, { ...rows, clientRows: rowsOf('oauth_clients', ...clients) })
}

const insertConsents = statement<{ consentRows: Rows<'oauth_consents'> }, { id: string }>(
  'insert_imported_oauth_consents',
  (sql, $) => `
    ${sql.insertRows('oauth_consents', $.consentRows)}
    on conflict do nothing returning id`,
)

/** Stores imported consents. @returns the ids of the stored ones. */
export async function insertImportedConsents(
  sql: Queryable,
  consents: readonly NewRow<'oauth_consents'>[],
): Promise<ReadonlySet<string>> {
  if (consents.length === 0) return new Set()
  const stored = await sql.query(insertConsents, {
    consentRows: rowsOf('oauth_consents', ...consents),
  })
  return new Set(stored.map(({ id }) => id))
}
