import type { ActRows } from '../../../accounts/acts/record-act.ts'
import { deleteSessionsWhere } from '../../../accounts/sessions/sessions.sql.ts'
import type { Queryable } from '../../../platform/sql/queryable.ts'
import { retryRolledBack } from '../../../platform/sql/retry.ts'
import { type Placeholders, statement } from '../../../platform/sql/statement.ts'
import {
  type NewRow,
  type Rows,
  rowsOf,
  type TableFragments,
} from '../../../platform/sql/tables.ts'
import { deleteSurplus, deletesSurplus, type SurplusValues } from '../delete-surplus.sql.ts'
import type { OauthClientRow } from '../personal-oauth.ts'

/**
 * The maximum number of clients that registered themselves and were not used yet, beyond which the
 * oldest are deleted. Between two deletions a few hundred more may be stored: see
 * {@link deletesSurplus}. Clients of metadata documents have the same maximum of their own.
 */
export const maxUnusedClients = 10_000

/** The values of {@link deleteSurplusClients} for a request with these random digits. */
export const surplusClients = (random: string): SurplusValues => ({
  kept: maxUnusedClients - 1,
  deletesSurplus: deletesSurplus(random),
})

/** Returns a statement that deletes the oldest unused clients, but not `clientId`. */
export const deleteSurplusClients = (
  sql: TableFragments,
  type: 'dynamic' | 'document',
  $: Placeholders<{ clientId: string; surplus: SurplusValues }>,
): string =>
  deleteSurplus(
    sql,
    {
      table: 'oauth_clients',
      where: `expires_at is not null and registration_type = '${type}' and id <> ${$.clientId}`,
      age: 'expires_at',
    },
    $.surplus,
  )

type InsertParameters = ActRows & {
  clientId: string
  clientRows: Rows<'oauth_clients'>
  surplus: SurplusValues
}

const insert = statement<InsertParameters>(
  'insert_oauth_client',
  (sql, $) => `
    with surplus as (
      ${deleteSurplusClients(sql, 'dynamic', $)}
    ), c as (
      ${sql.insertRows('oauth_clients', $.clientRows)}
    ), m as (
      ${sql.insertRows('outbox_messages', $.messageRows)}
    ), a as (
      ${sql.insertRows('audit_entries', $.auditRows)}
    )
    select 1`,
)

/** Stores a new client. */
export async function insertClient(
  sql: Queryable,
  row: NewRow<'oauth_clients'>,
  rows: ActRows,
): Promise<void> {
  await sql.query(insert, {
    ...rows,
    clientId: row.id,
    clientRows: rowsOf('oauth_clients', row),
    surplus: surplusClients(row.id),
  })
}

const find = statement<{ clientId: string; now: string }, { client: OauthClientRow }>(
  'find_oauth_client',
  (sql, $) => `
    select row_to_json(c) as client from ${sql.table('oauth_clients')} c
    where c.id = ${$.clientId} and (c.expires_at is null or c.expires_at > ${$.now})`,
)

/** Returns a client; null without one. */
export async function findOauthClient(
  sql: Queryable,
  clientId: string,
  now: Date,
): Promise<OauthClientRow | null> {
  const [row] = await sql.query(find, { clientId, now: now.toISOString() })
  return row?.client ?? null
}

type PageParameters = { limit: number; offset: number; now: string }

const list = statement<PageParameters, { clients: OauthClientRow[]; total: number }>(
  'list_oauth_clients',
  (sql, $) => `
    with live as (
      select * from ${sql.table('oauth_clients')}
      where registration_type <> 'document' and (expires_at is null or expires_at > ${$.now})
    ), page as (
      select * from live order by created_at desc, id limit ${$.limit}::int offset ${$.offset}::bigint
    )
    select (select count(*)::int from live) as total,
      (select coalesce(json_agg(row_to_json(p) order by p.created_at desc, p.id), '[]')
        from page p) as clients`,
)

/** Returns a page of the clients, the newest first, and their number. */
export async function listClients(
  sql: Queryable,
  page: { limit: number; offset: number; now: Date },
): Promise<{ clients: OauthClientRow[]; total: number }> {
  const [row] = await sql.query(list, { ...page, now: page.now.toISOString() })
  return row ?? { clients: [], total: 0 }
}

type KeyParameters = { createdAt: string | null; id: string | null; limit: number; now: string }

const listByKey = statement<KeyParameters, { client: OauthClientRow }>(
  'list_oauth_clients_by_key',
  (sql, $) => `
    select row_to_json(c) as client from ${sql.table('oauth_clients')} c
    where registration_type <> 'document' and (expires_at is null or expires_at > ${$.now})
      and (${$.createdAt}::timestamptz is null or (created_at, id) < (${$.createdAt}, ${$.id}))
    order by created_at desc, id desc limit ${$.limit}::int`,
)

/** Returns the clients that follow a position in the list, the newest first. */
export async function listClientsByKey(
  sql: Queryable,
  {
    after,
    limit,
    now,
  }: { after: { createdAt: Date; id: string } | null; limit: number; now: Date },
): Promise<OauthClientRow[]> {
  const rows = await sql.query(listByKey, {
    createdAt: after?.createdAt.toISOString() ?? null,
    id: after?.id ?? null,
    limit,
    now: now.toISOString(),
  })
  return rows.map(({ client }) => client)
}

type UpdateParameters = ActRows & { clientId: string; changes: string; expected: string }

const update = statement<UpdateParameters, { client: OauthClientRow }>(
  'update_oauth_client',
  (sql, $) => `
    with c as (
      update ${sql.table('oauth_clients')} c set ${sql.setColumns('oauth_clients', 'c', $.changes)}
      where c.id = ${$.clientId} and c.updated_at = ${$.expected}::timestamptz
      returning c.*
    ), m as (
      ${sql.insertRows('outbox_messages', $.messageRows)} where exists (select from c)
    ), a as (
      ${sql.insertRows('audit_entries', $.auditRows)} where exists (select from c)
    )
    select row_to_json(c) as client from c`,
)

/**
 * Changes columns of a client.
 *
 * @param expected `updated_at` of the row on which the changes rest.
 * @returns null where another request changed or deleted it meanwhile.
 */
export async function updateClient(
  sql: Queryable,
  clientId: string,
  { changes, expected }: { changes: Partial<OauthClientRow>; expected: string },
  rows: ActRows,
): Promise<OauthClientRow | null> {
  const [row] = await sql.query(update, {
    ...rows,
    clientId,
    changes: JSON.stringify(changes),
    expected,
  })
  return row?.client ?? null
}

const remove = statement<ActRows & { clientId: string }>(
  'delete_oauth_client',
  (sql, $) => `
    with c as (
      delete from ${sql.table('oauth_clients')} where id = ${$.clientId} returning id
    ), s as (
      ${deleteSessionsWhere(sql, 's.oauth_client_id = c.id', ['c'])}
    ), m as (
      ${sql.insertRows('outbox_messages', $.messageRows)} where exists (select from c)
    ), a as (
      ${sql.insertRows('audit_entries', $.auditRows)} where exists (select from c)
    )
    select id from c`,
)

/**
 * Deletes a client with its consents and authorization requests, and ends its sessions.
 *
 * @returns whether it existed.
 */
export async function deleteClient(
  sql: Queryable,
  clientId: string,
  rows: ActRows,
): Promise<boolean> {
  // An approval locks its consent before the client, and this statement the client first.
  const deleted = await retryRolledBack(() => sql.query(remove, { ...rows, clientId }))
  return deleted.length > 0
}

const endSessions = statement<{ clientId: string }>(
  'end_sessions_of_deleted_oauth_client',
  (sql, $) => deleteSessionsWhere(sql, `s.oauth_client_id = ${$.clientId}`),
)

/** Ends the sessions that codes were exchanged for while their client was deleted. */
export async function endSessionsOfDeletedClient(sql: Queryable, clientId: string): Promise<void> {
  await sql.query(endSessions, { clientId })
}
