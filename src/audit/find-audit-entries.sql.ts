import { containing } from '../kit/like-pattern.ts'
import type { Queryable } from '../kit/queryable.ts'
import { type AuditAction, auditActions } from './actions.ts'
import { type AuditRecord, type AuditRecordRow, toAuditRecord } from './audit-record.ts'

/** Which entries are looked for. */
export interface AuditQuery {
  /** Null for all. */
  actions: readonly AuditAction[] | null
  /** A part of the role, address or name of who acted, in any letter case. Null for everybody. */
  author: string | null
}

export interface PageOfEntries {
  entries: AuditRecord[]
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
  const rows = await sql.query<{ total: number; entry: AuditRecordRow | null }>({
    // The best plan depends on what is looked for: one that is kept serves those who want all alone.
    name: query.actions || query.author !== null ? '' : 'find_audit_entries_by_page',
    text: () => `
      with listed as (
        select e.id from ${entries} e where ${isWanted(sql, query)}
        order by e.id desc limit $3 offset $4
      )
      select counted.total, found.entry
      from (select count(*)::int as total from ${entries} e where ${isWanted(sql, query)}) counted
      left join (${describe(sql)}) found on true
      order by found.id desc`,
    values: [...valuesOf(query), limit, offset],
  })
  return {
    entries: rows.flatMap(({ entry }) => (entry && toAuditRecord(entry)) || []),
    total: rows[0]?.total ?? 0,
  }
}

/** The entries before another one, the newest first. Ids sort by time. */
export async function findAuditEntriesBefore(
  sql: Queryable,
  { actions, author }: AuditQuery,
  { limit, before }: { limit: number; before: string | null },
): Promise<AuditRecord[]> {
  // Entries that are left out later would make a page look like the last.
  const query = { actions: actions ?? knownActions, author }
  const rows = await sql.query<{ entry: AuditRecordRow }>({
    name: actions || author !== null ? '' : 'find_audit_entries_before',
    text: () => `
      with listed as (
        select e.id from ${sql.table('audit_entries')} e
        where ${isWanted(sql, query)} and ($4::uuid is null or e.id < $4)
        order by e.id desc limit $3
      )
      ${describe(sql)} order by e.id desc`,
    values: [...valuesOf(query), limit, before],
  })
  return rows.flatMap(({ entry }) => toAuditRecord(entry) ?? [])
}

const knownActions = Object.keys(auditActions) as AuditAction[]

const valuesOf = ({ actions, author }: AuditQuery): (string | null)[] => [
  actions && `{${actions.map((action) => auditActions[action]).join()}}`,
  author === null ? null : containing(author),
]

/** Each condition names its parameter in any case, so that PostgreSQL knows its type. */
const isWanted = (sql: Queryable, { actions, author }: AuditQuery): string => `
  ${actions === null ? '$1::smallint[] is null' : 'e.action = any($1::smallint[])'} and
  ${author === null ? '$2::text is null' : isBy(sql, '$2::text')}`

const isBy = (sql: Queryable, pattern: string): string => `(e.actor_role ilike ${pattern}
  or e.actor_id in (select id from ${sql.table('users')}
    where coalesce(phone, email) ilike ${pattern} or user_metadata ->> 'full_name' ilike ${pattern}))`

const describe = (sql: Queryable): string => `
  select e.id, to_jsonb(e) || jsonb_build_object(
    'ip', host(e.ip), 'actor', ${describeUser('actor')}, 'user', ${describeUser('about')}) as entry
  from listed join ${sql.table('audit_entries')} e on e.id = listed.id
  left join ${sql.table('users')} actor on actor.id = e.actor_id
  left join ${sql.table('users')} about on about.id = e.user_id`

const describeUser = (user: string): string => `
  case when ${user}.id is not null then jsonb_build_object(
    'email', ${user}.email, 'phone', ${user}.phone, 'is_sso_user', ${user}.is_sso_user,
    'full_name', ${user}.user_metadata ->> 'full_name') end`
