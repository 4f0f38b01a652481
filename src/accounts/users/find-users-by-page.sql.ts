import { containing } from '../../platform/sql/like-pattern.ts'
import { withinPageBytes } from '../../platform/sql/page-within-bytes.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { type Placeholders, statement } from '../../platform/sql/statement.ts'
import type { TableFragments } from '../../platform/sql/tables.ts'
import { type UserRow, userExpression } from './user-row.ts'

/** The users to list, and their order. */
export interface UserQuery {
  audience: string
  /** A part of the email address, or in any letter case of the user's name. Null for all. */
  filter: string | null
  /** The order by the time of creation. */
  order: 'asc' | 'desc'
}

export interface PageOfUsers {
  users: UserRow[]
  /** Whether the page has more users than fit in its bytes. */
  isCut: boolean
  /** The number of users on all pages. */
  total: number
}

/** The reason why the server caches no plan of a list with a filter. */
export const planOfFilter =
  'how a part of an address is best looked for depends on what it is: no plan serves all of them'

type PageParameters = { audience: string; limit: number; offset: number }
type Row = { total: number; item: UserRow | null; is_cut: boolean | null }
type Order = UserQuery['order']

function listing(
  sql: TableFragments,
  $: Placeholders<PageParameters>,
  order: Order,
  condition = 'true',
): string {
  const users = sql.table('users')
  const isListed = `u.audience = ${$.audience} and ${condition}`
  return `
    with listed as (
      select u.id, u.created_at from ${users} u where ${isListed}
      order by u.created_at ${order}, u.id ${order} limit ${$.limit} offset ${$.offset}
    )
    select counted.total, page.item, page.is_cut
    from (select count(*)::int as total from ${users} u where ${isListed}) counted
    left join (${withinPageBytes(`
      select ${userExpression(sql, 'u')} as item
      from listed join ${users} u on u.id = listed.id
      order by u.created_at ${order}, u.id ${order}`)}
    ) page on true
    order by page.place`
}

const listAll = (order: Order) =>
  statement<PageParameters, Row>(`list_users_${order}`, (sql, $) => listing(sql, $, order))

const listFiltered = (order: Order) =>
  statement<PageParameters & { pattern: string }, Row>(
    `list_filtered_users_${order}`,
    (sql, $) => listing(sql, $, order, matchesFilter($.pattern)),
    { unprepared: planOfFilter },
  )

const all = { asc: listAll('asc'), desc: listAll('desc') }
const filtered = { asc: listFiltered('asc'), desc: listFiltered('desc') }

/**
 * Returns one page of users, and the number of all, in one statement.
 *
 * The index alone finds the users of the page: rows before it are not read. Of a page that takes
 * more than `maxPageBytes`, the first users are returned.
 */
export async function findUsersByPage(
  sql: Queryable,
  { audience, filter, order }: UserQuery,
  { limit, offset }: { limit: number; offset: number },
): Promise<PageOfUsers> {
  const values = { audience, limit, offset }
  const rows = await (filter === null
    ? sql.query(all[order], values)
    : sql.query(filtered[order], { ...values, pattern: containing(filter) }))
  return {
    users: rows.flatMap(({ item }) => item ?? []),
    isCut: rows.at(-1)?.is_cut ?? false,
    total: rows[0]?.total ?? 0,
  }
}

/** Returns a condition for the filter. Addresses are compared in their stored form. */
export const matchesFilter = (pattern: string): string =>
  `(u.email like ${pattern} or u.user_metadata ->> 'full_name' ilike ${pattern})`
