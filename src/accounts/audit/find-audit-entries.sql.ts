import { containing } from '../../platform/sql/like-pattern.ts'
import { type PageRow, withinPageBytes } from '../../platform/sql/page-by-key.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import {
  type Placeholders,
  type StatementOptions,
  statement,
} from '../../platform/sql/statement.ts'
import type { TableFragments } from '../../platform/sql/tables.ts'
import { type AuditAction, auditActions } from './actions.ts'
import { type AuditRecord, type AuditRecordRow, toAuditRecord } from './audit-record.ts'

/** The conditions of a search for entries. */
export interface AuditQuery {
  /** Null for all actions. */
  actions: readonly AuditAction[] | null
  /** A part of the actor's role, address or name, in any letter case. Null for all actors. */
  author: string | null
  /** Null for all actors. */
  actorId: string | null
  /** The affected user, where that is not the actor. Null for all users. */
  userId: string | null
}

export const unfiltered: AuditQuery = { actions: null, author: null, actorId: null, userId: null }

export interface PageOfEntries {
  entries: AuditRecord[]
  /** Whether the page has more entries than fit in its bytes. */
  isCut: boolean
  /** The number of entries on all pages. */
  total: number
}

const planOfQuery: StatementOptions = {
  unprepared: 'the best plan depends on the conditions of the search',
}

type PageRowOfEntries = { total: number; item: AuditRecordRow | null; is_cut: boolean | null }
type PageParameters = QueryParameters & { limit: number; offset: number }

const findByPage = (query: AuditQuery, options = planOfQuery) =>
  statement<PageParameters, PageRowOfEntries>(
    'find_audit_entries_by_page',
    (sql, $) => {
      const entries = sql.table('audit_entries')
      return `
        with listed as (
          select e.id from ${entries} e where ${isWanted(sql, $, query)}
          order by e.id desc limit ${$.limit} offset ${$.offset}
        )
        select counted.total, page.item, page.is_cut
        from (select count(*)::int as total from ${entries} e where ${isWanted(sql, $, query)}) counted
        left join (${withinPageBytes(`${describe(sql)} order by e.id desc`)}) page on true
        order by page.place`
    },
    options,
  )

/** Returns one page of the entries, the newest first, and the number of all, in one statement. */
export async function findAuditEntriesByPage(
  sql: Queryable,
  query: AuditQuery,
  { limit, offset }: { limit: number; offset: number },
): Promise<PageOfEntries> {
  const find = isUnfiltered(query) ? findAllByPage : findByPage(query)
  const rows = await sql.query(find, { ...valuesOf(query), limit, offset })
  return {
    entries: rows.flatMap(({ item }) => (item && toAuditRecord(item)) || []),
    isCut: rows.at(-1)?.is_cut ?? false,
    total: rows[0]?.total ?? 0,
  }
}

/** A range of the log. Ids sort by time, so two of them bound it. */
export interface AuditSpan {
  limit: number
  /** The first id of the range; null for the oldest. */
  from: string | null
  /** The id after the range; null for the newest. */
  before: string | null
}

type SpanParameters = QueryParameters & {
  limit: number
  from: string | null
  before: string | null
}

const findBefore = (query: AuditQuery, options = planOfQuery) =>
  statement<SpanParameters, PageRow<AuditRecordRow>>(
    'find_audit_entries_before',
    (sql, $) => `
      with listed as (
        select e.id from ${sql.table('audit_entries')} e
        where ${isWanted(sql, $, query)} and (${$.from}::uuid is null or e.id >= ${$.from})
          and (${$.before}::uuid is null or e.id < ${$.before})
        order by e.id desc limit ${$.limit}
      )
      ${withinPageBytes(`${describe(sql)} order by e.id desc`)}`,
    options,
  )

/** Returns the entries of a range of the log, the newest first. */
export async function findAuditEntriesBefore(
  sql: Queryable,
  filter: AuditQuery,
  { limit, from, before }: AuditSpan,
): Promise<PageRow<AuditRecord>[]> {
  // Filtering unknown actions afterwards could shorten a page, which would then look like the last.
  const query = { ...filter, actions: filter.actions ?? knownActions }
  const find = isUnfiltered(filter) ? findAllBefore : findBefore(query)
  const rows = await sql.query(find, { ...valuesOf(query), limit, from, before })
  return rows.flatMap(({ item, is_cut }) => {
    const record = toAuditRecord(item)
    return record ? [{ item: record, is_cut }] : []
  })
}

const knownActions = Object.keys(auditActions) as AuditAction[]

type QueryParameters = {
  actions: string | null
  author: string | null
  actorId: string | null
  userId: string | null
}

const valuesOf = ({ actions, author, actorId, userId }: AuditQuery): QueryParameters => ({
  actions: actions && `{${actions.map((action) => auditActions[action].number).join()}}`,
  author: author === null ? null : containing(author),
  actorId,
  userId,
})

/**
 * Returns the condition of a search. It names each parameter in any case, so that PostgreSQL can
 * infer its type.
 */
const isWanted = (
  sql: TableFragments,
  $: Placeholders<QueryParameters>,
  { actions, author, actorId, userId }: AuditQuery,
): string => `
  ${actions === null ? `${$.actions}::smallint[] is null` : `e.action = any(${$.actions}::smallint[])`}
  and ${author === null ? `${$.author}::text is null` : isBy(sql, `${$.author}::text`)}
  and ${actorId === null ? `${$.actorId}::uuid is null` : `e.actor_id = ${$.actorId}::uuid`}
  and ${userId === null ? `${$.userId}::uuid is null` : `e.user_id = ${$.userId}::uuid`}`

/**
 * Returns a condition on an entry: its role, or the address or name of its actor, matches the
 * pattern. `email` has collation "C", in which `ilike` ignores the case of ASCII letters only.
 * Therefore, addresses are compared in the default collation.
 */
const isBy = (sql: TableFragments, pattern: string): string => `(e.actor_role ilike ${pattern}
  or e.actor_id in (select id from ${sql.table('users')}
    where coalesce(phone, email) collate "default" ilike ${pattern} or user_metadata ->> 'full_name' ilike ${pattern}))`

const describe = (sql: TableFragments): string => `
  select to_jsonb(e) || jsonb_build_object(
    'ip', abbrev(e.ip), 'actor', ${describeUser('actor')}, 'user', ${describeUser('about')}) as item
  from listed join ${sql.table('audit_entries')} e on e.id = listed.id
  left join ${sql.table('users')} actor on actor.id = e.actor_id
  left join ${sql.table('users')} about on about.id = e.user_id`

const describeUser = (user: string): string => `
  case when ${user}.id is not null then jsonb_build_object(
    'email', ${user}.email, 'phone', ${user}.phone, 'is_sso_user', ${user}.is_sso_user,
    'full_name', ${user}.user_metadata ->> 'full_name') end`

const isUnfiltered = (query: AuditQuery): boolean =>
  Object.values(query).every((value) => value === null)

const findAllByPage = findByPage(unfiltered, {})
const findAllBefore = findBefore({ ...unfiltered, actions: knownActions }, {})
