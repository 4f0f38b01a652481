import { nilUuid } from '../../platform/kit/uuid.ts'
import { containing } from '../../platform/sql/like-pattern.ts'
import { type PageRow, withinPageBytes } from '../../platform/sql/page-within-bytes.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { type Placeholders, statement } from '../../platform/sql/statement.ts'
import type { TableFragments } from '../../platform/sql/tables.ts'
import { matchesFilter, planOfFilter, type UserQuery } from './find-users-by-page.sql.ts'
import { type UserRow, userExpression } from './user-row.ts'

/** The position of a user in the list. */
export interface UserPosition {
  /** In PostgreSQL's text form: to the microsecond. */
  createdAt: string
  id: string
}

/** The position before all users, in either order. */
const beginnings: Record<UserQuery['order'], UserPosition> = {
  asc: { createdAt: '-infinity', id: nilUuid },
  desc: { createdAt: 'infinity', id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' },
}

type FindParameters = { audience: string; createdAt: string; id: string; limit: number }
type Order = UserQuery['order']

const listing = (
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
    listing(sql, $, order),
  )

const findFiltered = (order: Order) =>
  statement<FindParameters & { pattern: string }, PageRow<UserRow>>(
    `find_filtered_users_after_${order}`,
    (sql, $) => listing(sql, $, order, matchesFilter($.pattern)),
    { unprepared: planOfFilter },
  )

const all = { asc: findAll('asc'), desc: findAll('desc') }
const filtered = { asc: findFiltered('asc'), desc: findFiltered('desc') }

/** Returns the users after a position in the list. The index finds it at any distance. */
export async function findUsersAfter(
  sql: Queryable,
  { audience, filter, order }: UserQuery,
  { limit, after }: { limit: number; after: UserPosition | null },
): Promise<PageRow<UserRow>[]> {
  const { createdAt, id } = after ?? beginnings[order]
  const values = { audience, createdAt, id, limit }
  return filter === null
    ? sql.query(all[order], values)
    : sql.query(filtered[order], { ...values, pattern: containing(filter) })
}
