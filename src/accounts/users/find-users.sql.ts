import { nilUuid } from '../../platform/kit/uuid.ts'
import { containing, prefixUpperBound } from '../../platform/sql/like-pattern.ts'
import { type PageRow, withinPageBytes } from '../../platform/sql/page-by-key.ts'
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
const planOfFilter =
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
    from (
      select case when size < ${$.limit} and (size > 0 or ${$.offset} = 0)
        then ${$.offset} + size
        else (select count(*) from ${users} u where ${isListed})
      end::int as total
      from (select count(*)::int as size from listed) found
    ) counted
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
 * The index alone finds the users of the page: rows before it are not read. The last page has fewer
 * users than others, so its place states the number of all: they are not counted. Of a page that
 * takes more than `maxPageBytes`, the first users are returned.
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

/** The position of a user in the list. */
interface UserPosition {
  /** In PostgreSQL's text form: to the microsecond. */
  createdAt: string
  id: string
}

/** The position before all users, in either order. */
const beginnings: Record<Order, UserPosition> = {
  asc: { createdAt: '-infinity', id: nilUuid },
  desc: { createdAt: 'infinity', id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' },
}

type FindParameters = { audience: string; createdAt: string; id: string; limit: number }

const listingAfter = (
  sql: TableFragments,
  $: Placeholders<FindParameters>,
  order: Order,
  condition = 'true',
) =>
  withinPageBytes(`
    select ${userExpression(sql, 'u')} as item from ${sql.table('users')} u
    where u.audience = ${$.audience}
      and (u.created_at, u.id) ${order === 'asc' ? '>' : '<'} (${$.createdAt}, ${$.id})
      and ${condition}
    order by u.created_at ${order}, u.id ${order} limit ${$.limit}`)

const findAll = (order: Order) =>
  statement<FindParameters, PageRow<UserRow>>(`find_users_after_${order}`, (sql, $) =>
    listingAfter(sql, $, order),
  )

const findFiltered = (order: Order) =>
  statement<FindParameters & { pattern: string }, PageRow<UserRow>>(
    `find_filtered_users_after_${order}`,
    (sql, $) => listingAfter(sql, $, order, matchesFilter($.pattern)),
    { unprepared: planOfFilter },
  )

const allAfter = { asc: findAll('asc'), desc: findAll('desc') }
const filteredAfter = { asc: findFiltered('asc'), desc: findFiltered('desc') }

/** Returns the users after a position in the list. The index finds it at any distance. */
export async function findUsersAfter(
  sql: Queryable,
  { audience, filter, order }: UserQuery,
  { limit, after }: { limit: number; after: UserPosition | null },
): Promise<PageRow<UserRow>[]> {
  const { createdAt, id } = after ?? beginnings[order]
  const values = { audience, createdAt, id, limit }
  return filter === null
    ? sql.query(allAfter[order], values)
    : sql.query(filteredAfter[order], { ...values, pattern: containing(filter) })
}

/** The users to list, and their order. */
export interface PrefixQuery {
  audience: string
  /** The beginning of their email addresses. */
  emailPrefix: string
  /** The order by address, in the order of its bytes. */
  order: 'asc' | 'desc'
}

/**
 * The position of a user in the list. Users of single sign-on may have the same address as others.
 */
interface AddressPosition {
  email: string
  id: string
}

interface PrefixParameters {
  audience: string
  fromEmail: string
  fromId: string
  toEmail: string
  toId: string
  limit: number
}

const findInOrder = (order: PrefixQuery['order']) =>
  statement<PrefixParameters, PageRow<UserRow>>(`find_users_by_prefix_${order}`, (sql, $) =>
    withinPageBytes(`
      select ${userExpression(sql, 'u')} as item
      from (
        select id from (
          ${withUniqueAddress(sql, $, order)} union all ${ofSingleSignOn(sql, $, order)}
        ) found order by email ${order}, id ${order} limit ${$.limit}
      ) listed join ${sql.table('users')} u on u.id = listed.id
      order by u.email ${order}, u.id ${order}`),
  )

type Place = Placeholders<PrefixParameters>

const isBetween = (user: string, $: Place): string =>
  `(${user}.email, ${user}.id) > (${$.fromEmail}, ${$.fromId})
      and (${user}.email, ${user}.id) < (${$.toEmail}, ${$.toId})`

/**
 * Returns a selection of the users in a range whose addresses are unique. The index on the address
 * contains the audience, so that users of other audiences in the range cost an entry of the index,
 * but no row. It does not contain the id: the range begins and ends with a user that may be outside
 * of it.
 *
 * An array, since the planner expects few elements of it for any range. With a join, a plan for all
 * ranges seems to cost so much more than one for this range that every call is planned.
 */
const withUniqueAddress = (sql: TableFragments, $: Place, order: PrefixQuery['order']): string => `(
  select u.email, u.id from ${sql.table('users')} u
  where not u.is_sso_user and ${isBetween('u', $)} and u.email = any(array(
    select o.email from ${sql.table('users')} o
    where not o.is_sso_user and o.audience = ${$.audience}
      and o.email >= ${$.fromEmail} and o.email <= ${$.toEmail}
    order by o.email ${order} limit ${$.limit} + 2)))`

/**
 * Returns a selection of the users of single sign-on in a range, who have an index of their own.
 */
const ofSingleSignOn = (sql: TableFragments, $: Place, order: PrefixQuery['order']): string => `(
  select u.email, u.id from ${sql.table('users')} u
  where u.is_sso_user and u.audience = ${$.audience} and ${isBetween('u', $)}
  order by u.email ${order}, u.id ${order} limit ${$.limit})`

const findByPrefix = { asc: findInOrder('asc'), desc: findInOrder('desc') }

/** Returns the users after a position in the list. The index finds it at any distance. */
export async function findUsersByPrefix(
  sql: Queryable,
  { audience, emailPrefix, order }: PrefixQuery,
  { limit, after }: { limit: number; after: AddressPosition | null },
): Promise<PageRow<UserRow>[]> {
  const first: AddressPosition = { email: emailPrefix, id: nilUuid }
  const end: AddressPosition = { email: prefixUpperBound(emailPrefix), id: nilUuid }
  const [from, to] = order === 'asc' ? [after ?? first, end] : [first, after ?? end]
  return sql.query(findByPrefix[order], {
    audience,
    fromEmail: from.email,
    fromId: from.id,
    toEmail: to.email,
    toId: to.id,
    limit,
  })
}
