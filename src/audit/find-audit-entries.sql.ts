import { containing } from '../sql/like-pattern.ts'
import { type PageRow, withinPageBytes } from '../sql/page-within-bytes.ts'
import type { Queryable } from '../sql/queryable.ts'
import { type AuditAction, auditActions } from './actions.ts'
import { type AuditRecord, type AuditRecordRow, toAuditRecord } from './audit-record.ts'

/** Which entries are looked for. */
export interface AuditQuery {
  /** Null for all. */
  actions: readonly AuditAction[] | null
  /** A part of the role, address or name of who acted, in any letter case. Null for everybody. */
  author: string | null
  /** Null for everybody. */
  actorId: string | null
  /** Whom it concerns, where that is not the actor. Null for everybody. */
  userId: string | null
}

export const everything: AuditQuery = { actions: null, author: null, actorId: null, userId: null }

export interface PageOfEntries {
  entries: AuditRecord[]
  /** Whether there are entries on the page that do not fit in its bytes. */
  isCut: boolean
  /** How many entries there are on all pages. */
  total: number
}

/** One page of the entries, the newest first, and how many there are, in one statement. */
export async function findAuditEntriesByPage(
  sql: Queryable,
  query: AuditQuery,
  { limit, offset }: { limit: number; offset: number },
): Promise<PageOfEntries> {
  const entries = sql.table('audit_entries')
  const rows = await sql.query<{
    total: number
    item: AuditRecordRow | null
    is_cut: boolean | null
  }>({
    name: asksForAll(query) ? 'find_audit_entries_by_page' : '',
    text: () => `
      with listed as (
        select e.id from ${entries} e where ${isWanted(sql, query)}
        order by e.id desc limit $5 offset $6
      )
      select counted.total, page.item, page.is_cut
      from (select count(*)::int as total from ${entries} e where ${isWanted(sql, query)}) counted
      left join (${withinPageBytes(`${describe(sql)} order by e.id desc`)}) page on true
      order by page.place`,
    values: [...valuesOf(query), limit, offset],
  })
  return {
    entries: rows.flatMap(({ item }) => (item && toAuditRecord(item)) || []),
    isCut: rows.at(-1)?.is_cut ?? false,
    total: rows[0]?.total ?? 0,
  }
}

/** A part of the log. Ids sort by time, so two of them bound it. */
export interface AuditSpan {
  limit: number
  /** Entries from this id on; null for the oldest. */
  from: string | null
  /** Entries before this id; null for the newest. */
  before: string | null
}

/** The entries of a part of the log, the newest first. */
export async function findAuditEntriesBefore(
  sql: Queryable,
  asked: AuditQuery,
  { limit, from, before }: AuditSpan,
): Promise<PageRow<AuditRecord>[]> {
  // Entries that are left out later would make a page look like the last.
  const query = { ...asked, actions: asked.actions ?? knownActions }
  const rows = await sql.query<PageRow<AuditRecordRow>>({
    name: asksForAll(asked) ? 'find_audit_entries_before' : '',
    text: () => `
      with listed as (
        select e.id from ${sql.table('audit_entries')} e
        where ${isWanted(sql, query)} and ($6::uuid is null or e.id >= $6)
          and ($7::uuid is null or e.id < $7)
        order by e.id desc limit $5
      )
      ${withinPageBytes(`${describe(sql)} order by e.id desc`)}`,
    values: [...valuesOf(query), limit, from, before],
  })
  return rows.flatMap(({ item, is_cut }) => {
    const record = toAuditRecord(item)
    return record ? [{ item: record, is_cut }] : []
  })
}

/** The best plan depends on what is looked for: one that is kept serves those who want all alone. */
const asksForAll = (query: AuditQuery): boolean =>
  Object.values(query).every((value) => value === null)

const knownActions = Object.keys(auditActions) as AuditAction[]

const valuesOf = ({ actions, author, actorId, userId }: AuditQuery): (string | null)[] => [
  actions && `{${actions.map((action) => auditActions[action]).join()}}`,
  author === null ? null : containing(author),
  actorId,
  userId,
]

/** Each condition names its parameter in any case, so that PostgreSQL knows its type. */
const isWanted = (sql: Queryable, { actions, author, actorId, userId }: AuditQuery): string => `
  ${actions === null ? '$1::smallint[] is null' : 'e.action = any($1::smallint[])'} and
  ${author === null ? '$2::text is null' : isBy(sql, '$2::text')} and
  ${actorId === null ? '$3::uuid is null' : 'e.actor_id = $3::uuid'} and
  ${userId === null ? '$4::uuid is null' : 'e.user_id = $4::uuid'}`

const isBy = (sql: Queryable, pattern: string): string => `(e.actor_role ilike ${pattern}
  or e.actor_id in (select id from ${sql.table('users')}
    where coalesce(phone, email) ilike ${pattern} or user_metadata ->> 'full_name' ilike ${pattern}))`

const describe = (sql: Queryable): string => `
  select to_jsonb(e) || jsonb_build_object(
    'ip', host(e.ip), 'actor', ${describeUser('actor')}, 'user', ${describeUser('about')}) as item
  from listed join ${sql.table('audit_entries')} e on e.id = listed.id
  left join ${sql.table('users')} actor on actor.id = e.actor_id
  left join ${sql.table('users')} about on about.id = e.user_id`

const describeUser = (user: string): string => `
  case when ${user}.id is not null then jsonb_build_object(
    'email', ${user}.email, 'phone', ${user}.phone, 'is_sso_user', ${user}.is_sso_user,
    'full_name', ${user}.user_metadata ->> 'full_name') end`
