import { containing } from '../sql/like-pattern.ts'
import { withinPageBytes } from '../sql/page-within-bytes.ts'
import type { Queryable } from '../sql/queryable.ts'
import { type UserRow, userExpression } from './user-row.ts'

/** Which users are listed, and in what order. */
export interface UserQuery {
  audience: string
  /** A part of the email address, or in any letter case of the name that the user gave. Null for all. */
  filter: string | null
  /** By the time when they were made. */
  order: 'asc' | 'desc'
}

export interface PageOfUsers {
  users: UserRow[]
  /** Whether there are users on the page that do not fit in its bytes. */
  isCut: boolean
  /** How many users there are on all pages. */
  total: number
}

/**
 * One page of users, and how many there are, in one statement.
 *
 * Which users are on the page is found in the index alone: rows that come before it are not read. Of a
 * page that takes more than `maxPageBytes`, the first users come.
 */
export async function findUsersByPage(
  sql: Queryable,
  { audience, filter, order }: UserQuery,
  { limit, offset }: { limit: number; offset: number },
): Promise<PageOfUsers> {
  const users = sql.table('users')
  const isListed = `u.audience = $1${filter === null ? '' : ` and ${matchesFilter('$4')}`}`
  const rows = await sql.query<{ total: number; item: UserRow | null; is_cut: boolean | null }>({
    // How a part of an address is best looked for depends on what it is: no plan serves all of them.
    name: filter === null ? `list_users_${order}` : '',
    text: () => `
      with listed as (
        select u.id, u.created_at from ${users} u where ${isListed}
        order by u.created_at ${order}, u.id ${order} limit $2 offset $3
      )
      select counted.total, page.item, page.is_cut
      from (select count(*)::int as total from ${users} u where ${isListed}) counted
      left join (${withinPageBytes(`
        select ${userExpression(sql, 'u')} as item
        from listed join ${users} u on u.id = listed.id
        order by u.created_at ${order}, u.id ${order}`)}
      ) page on true
      order by page.place`,
    values: [audience, limit, offset, ...(filter === null ? [] : [containing(filter)])],
  })
  return {
    users: rows.flatMap(({ item }) => item ?? []),
    isCut: rows.at(-1)?.is_cut ?? false,
    total: rows[0]?.total ?? 0,
  }
}

/** Addresses are compared as they are stored. */
export const matchesFilter = (pattern: string): string =>
  `(u.email like ${pattern} or u.user_metadata ->> 'full_name' ilike ${pattern})`
