import type { ActRows } from '../../accounts/acts/record-act.ts'
import type { ListedProvider } from '../../credentials/external/provider.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import { type NewRow, type Rows, rowsOf } from '../../platform/sql/tables.ts'
import type { CustomProviderRow } from './custom-provider-row.ts'

/** The maximum number of providers where the configuration states none. */
export const maxCustomProviders = 1_000

const find = statement<{ identifier: string }, { provider: CustomProviderRow }>(
  'find_custom_provider',
  (sql, $) => `
    select row_to_json(c) as provider from ${sql.table('custom_providers')} c
    where c.identifier = ${$.identifier}`,
)

/** Returns a provider; null without one. */
export async function findCustomProvider(
  sql: Queryable,
  identifier: string,
): Promise<CustomProviderRow | null> {
  const [row] = await sql.query(find, { identifier })
  return row?.provider ?? null
}

type PageParameters = { type: string | null; limit: number; offset: number }

const list = statement<PageParameters, { providers: CustomProviderRow[]; total: number }>(
  'list_custom_providers',
  (sql, $) => `
    with wanted as (
      select * from ${sql.table('custom_providers')}
      where ${$.type}::text is null or provider_type = ${$.type}::text
    ), page as (
      select * from wanted order by created_at, id limit ${$.limit}::int offset ${$.offset}::bigint
    )
    select (select count(*)::int from wanted) as total,
      (select coalesce(json_agg(row_to_json(p) order by p.created_at, p.id), '[]')
        from page p) as providers`,
)

/** Returns a page of the providers, the oldest first, and their number. */
export async function listCustomProviders(
  sql: Queryable,
  page: PageParameters,
): Promise<{ providers: CustomProviderRow[]; total: number }> {
  const [row] = await sql.query(list, page)
  return row ?? { providers: [], total: 0 }
}

const listEnabled = statement<{ limit: number }, ListedProvider>(
  'list_enabled_custom_providers',
  (sql, $) => `
    select identifier as name, name as label from ${sql.table('custom_providers')}
    where enabled order by lower(name), id limit ${$.limit}::int`,
)

/** Returns the names of the enabled providers, sorted by label. */
export const listEnabledProviders = (
  sql: Queryable,
  parameters: { limit: number },
): Promise<ListedProvider[]> => sql.query(listEnabled, parameters)

type SlotParameters = { identifier: string; most: number }

const findSlot = statement<SlotParameters, { isTaken: boolean; slot: number | null }>(
  'find_custom_provider_slot',
  (sql, $) => `
    select exists (select from ${sql.table('custom_providers')} c
        where c.identifier = ${$.identifier}) as "isTaken",
      case when (select count(*) from ${sql.table('custom_providers')}) < ${$.most}::int then (
        select min(number) from generate_series(1, ${$.most}::int) number
        where not exists (select from ${sql.table('custom_providers')} c where c.slot = number)
      ) end as slot`,
)

/** Returns whether an identifier is taken, and a free slot; null where there is none. */
export async function findProviderSlot(
  sql: Queryable,
  wanted: SlotParameters,
): Promise<{ isTaken: boolean; slot: number | null }> {
  const [row] = await sql.query(findSlot, wanted)
  return row ?? { isTaken: false, slot: null }
}

type InsertParameters = ActRows & { providerRows: Rows<'custom_providers'> }

const insert = statement<InsertParameters, { id: string }>(
  'insert_custom_provider',
  (sql, $) => `
    with c as (
      ${sql.insertRows('custom_providers', $.providerRows)} on conflict do nothing returning id
    ), m as (
      ${sql.insertRows('outbox_messages', $.messageRows)} where exists (select from c)
    ), a as (
      ${sql.insertRows('audit_entries', $.auditRows)} where exists (select from c)
    )
    select id from c`,
)

/**
 * Stores a new provider.
 *
 * @returns false where a concurrent request took its identifier or slot.
 */
export async function insertCustomProvider(
  sql: Queryable,
  row: NewRow<'custom_providers'>,
  rows: ActRows,
): Promise<boolean> {
  const stored = await sql.query(insert, { ...rows, providerRows: rowsOf('custom_providers', row) })
  return stored.length > 0
}

type UpdateParameters = ActRows & { id: string; changes: string; expected: string }

const update = statement<UpdateParameters, { provider: CustomProviderRow }>(
  'update_custom_provider',
  (sql, $) => `
    with c as (
      update ${sql.table('custom_providers')} c
      set ${sql.setColumns('custom_providers', 'c', $.changes)}
      where c.id = ${$.id}::uuid and c.updated_at = ${$.expected}::timestamptz
      returning c.*
    ), m as (
      ${sql.insertRows('outbox_messages', $.messageRows)} where exists (select from c)
    ), a as (
      ${sql.insertRows('audit_entries', $.auditRows)} where exists (select from c)
    )
    select row_to_json(c) as provider from c`,
)

/**
 * Changes columns of a provider.
 *
 * @param expected `updated_at` of the row on which the changes rest.
 * @returns null where another request changed or deleted it meanwhile.
 */
export async function updateCustomProvider(
  sql: Queryable,
  id: string,
  { changes, expected }: { changes: Partial<CustomProviderRow>; expected: string },
  rows: ActRows,
): Promise<CustomProviderRow | null> {
  const [row] = await sql.query(update, { ...rows, id, changes: JSON.stringify(changes), expected })
  return row?.provider ?? null
}

const remove = statement<ActRows & { identifier: string }, { id: string }>(
  'delete_custom_provider',
  (sql, $) => `
    with c as (
      delete from ${sql.table('custom_providers')} where identifier = ${$.identifier} returning id
    ), m as (
      ${sql.insertRows('outbox_messages', $.messageRows)} where exists (select from c)
    ), a as (
      ${sql.insertRows('audit_entries', $.auditRows)} where exists (select from c)
    )
    select id from c`,
)

/** Deletes a provider. @returns whether it existed. */
export async function deleteCustomProvider(
  sql: Queryable,
  identifier: string,
  rows: ActRows,
): Promise<boolean> {
  const deleted = await sql.query(remove, { ...rows, identifier })
  return deleted.length > 0
}
