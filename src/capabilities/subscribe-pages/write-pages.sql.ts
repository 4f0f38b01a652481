import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import type { TableFragments } from '../../platform/sql/tables.ts'
import type { PageEntry } from './page.ts'
import type { PageInput } from './read-page.ts'

/**
 * Common table expressions that select or create the number of a user, as `owner`. An existing
 * number is selected first, since each attempt to insert uses a number of the sequence. There is no
 * row for a user who does not exist; the lock waits for a concurrent deletion.
 */
const numberOwner = (sql: TableFragments, userId: string): string => `
  known as (
    select o.id from ${sql.table('subscribe_page_owners')} o
    join ${sql.table('users')} u on u.id = o.user_id
    where u.id = ${userId} and u.deleted_at is null for key share of u
  ), made as (
    insert into ${sql.table('subscribe_page_owners')} as o (user_id)
    select u.id from ${sql.table('users')} u
    where u.id = ${userId} and u.deleted_at is null and not exists (select from known)
    for key share of u
    on conflict (user_id) do update set user_id = excluded.user_id returning o.id
  ), owner as (select id from known union all select id from made)`

const number = statement<{ userId: string }, { id: number }>(
  'number_page_owner',
  (sql, $) => `with ${numberOwner(sql, `${$.userId}::uuid`)} select id from owner`,
)

/** Returns the number of a user as an owner; null for a user who does not exist. */
export async function ownerIdOf(sql: Queryable, userId: string): Promise<number | null> {
  const [row] = await sql.query(number, { userId })
  return row?.id ?? null
}

const entriesIn = (parameter: string): string =>
  `json_to_recordset(${parameter}::json) as n (key text, value text)`

const insertEntries = (sql: TableFragments, entries: string): string => `
  insert into ${sql.table('subscribe_page_entries')} (page_id, key, value)
  select page.id, n.key, n.value from page cross join ${entriesIn(entries)}`

type InsertParameters = { userId: string; title: string; active: boolean; entries: string }

/** The maximum number of pages per owner. */
export const maxPagesPerOwner = 1000

const pagesOf = (sql: TableFragments, ownerId: string): string =>
  `select count(*) from ${sql.table('subscribe_pages')} o where o.owner_id = ${ownerId}`

const insert = statement<InsertParameters, { id: number | null; owner_id: number }>(
  'insert_subscribe_page',
  (sql, $) => `
    with ${numberOwner(sql, `${$.userId}::uuid`)}, page as (
      insert into ${sql.table('subscribe_pages')} (title, active, owner_id, version)
      select ${$.title}::text, ${$.active}::boolean, owner.id, 1 from owner
      where (${pagesOf(sql, 'owner.id')}) < ${maxPagesPerOwner}
      returning id
    ), entries as (${insertEntries(sql, $.entries)})
    select (select id from page), owner.id as owner_id from owner`,
)

/** The id of a written page, and its owner. */
export interface WrittenPage {
  id: number
  ownerId: number | null
}

/**
 * Stores a page with its entries, all or nothing.
 *
 * @returns `full` for a user with the maximum number of pages, null if the user is deleted.
 */
export async function insertPage(
  sql: Queryable,
  userId: string,
  { title, active, data }: PageInput,
): Promise<WrittenPage | 'full' | null> {
  const entries = JSON.stringify(data ?? [])
  const [row] = await sql.query(insert, { userId, title, active, entries })
  return row ? writtenPage(row.id, row.owner_id) : null
}

const writtenPage = (id: number | null, ownerId: number | null): WrittenPage | 'full' =>
  id === null ? 'full' : { id, ownerId }

interface Replacement extends PageInput {
  id: number
  /** The version of the page as it was read. */
  version: number
  /** The new owner; null keeps the present one. */
  userId: string | null
}

type ReplaceParameters = Omit<Replacement, 'data'> & { entries: string | null }

/**
 * Deletes, inserts or updates each entry: no two parts of the statement touch the same row. The row
 * without an id stands for a new owner with the maximum number of pages.
 */
const replace = statement<ReplaceParameters, { id: number | null; owner_id: number | null }>(
  'replace_subscribe_page',
  (sql, $) => `
    with ${numberOwner(sql, `${$.userId}::uuid`)}, full_owner as (
      select from owner
      join ${sql.table('subscribe_pages')} p on p.id = ${$.id} and p.owner_id is distinct from owner.id
      where (${pagesOf(sql, 'owner.id')}) >= ${maxPagesPerOwner}
    ), page as (
      update ${sql.table('subscribe_pages')} p set title = ${$.title}, active = ${$.active},
        owner_id = coalesce((select id from owner), p.owner_id), version = p.version + 1
      where p.id = ${$.id} and p.version = ${$.version}
        and (${$.userId}::uuid is null or exists (select from owner))
        and not exists (select from full_owner)
      returning p.id, p.owner_id
    ), deleted as (
      delete from ${sql.table('subscribe_page_entries')} e using page
      where e.page_id = page.id and ${$.entries}::json is not null
        and not exists (select from ${entriesIn($.entries)} where n.key = e.key)
    ), kept as (
      ${insertEntries(sql, $.entries)}
      on conflict (page_id, key) do update set value = excluded.value
    )
    select id, owner_id from page union all select null, null from full_owner`,
)

/**
 * Replaces a page as it was read, with its entries if new ones are given, all or nothing.
 *
 * @returns `full` for a new owner with the maximum number of pages, null if it was changed or
 *   deleted since, or the user is deleted.
 */
export async function replacePage(
  sql: Queryable,
  { data, ...page }: Replacement,
): Promise<WrittenPage | 'full' | null> {
  const entries = data && JSON.stringify(data satisfies PageEntry[])
  const [row] = await sql.query(replace, { ...page, entries })
  return row ? writtenPage(row.id, row.owner_id) : null
}

/**
 * Locks the user before the page, in the order in which the deletion of a user does: it releases
 * the pages of its owner.
 */
const lock = statement<{ id: number; userId: string | null }, { id: number }>(
  'lock_subscribe_page',
  (sql, $) => `
    with new_owner as materialized (
      select u.id from ${sql.table('users')} u
      where u.id = ${$.userId}::uuid and u.deleted_at is null for key share of u
    )
    select p.id from ${sql.table('subscribe_pages')} p
    where p.id = ${$.id} and (${$.userId}::uuid is null or exists (select from new_owner))
    for no key update of p`,
)

/**
 * Waits until no other transaction changes the page, and prevents changes until the end of this
 * one.
 */
export async function lockPage(sql: Queryable, id: number, userId: string | null): Promise<void> {
  await sql.query(lock, { id, userId })
}

const deletion = statement<{ id: number }>(
  'delete_subscribe_page',
  (sql, $) => `delete from ${sql.table('subscribe_pages')} where id = ${$.id} returning id`,
)

/** Deletes a page with its entries. @returns whether the page existed. */
export async function deletePage(sql: Queryable, id: number): Promise<boolean> {
  const rows = await sql.query(deletion, { id })
  return rows.length > 0
}
