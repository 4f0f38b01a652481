import { nilUuid } from '../kit/uuid.ts'
import { type PageRow, withinPageBytes } from '../sql/page-within-bytes.ts'
import { prefixUpperBound } from '../sql/prefix-upper-bound.ts'
import type { Queryable } from '../sql/queryable.ts'
import { type UserRow, userExpression } from './user-row.ts'

/** Which users are listed, and in what order. */
export interface PrefixQuery {
  audience: string
  /** How their email addresses begin. */
  emailPrefix: string
  /** By address, in the order of its bytes. */
  order: 'asc' | 'desc'
}

/** Where in the list a user is. Those of single sign-on may have the same address. */
export interface AddressPosition {
  email: string
  id: string
}

/** Users behind a position in the list, found by index however many there are. */
export async function findUsersByPrefix(
  sql: Queryable,
  { audience, emailPrefix, order }: PrefixQuery,
  { limit, after }: { limit: number; after: AddressPosition | null },
): Promise<PageRow<UserRow>[]> {
  const first: AddressPosition = { email: emailPrefix, id: nilUuid }
  const end: AddressPosition = { email: prefixUpperBound(emailPrefix), id: nilUuid }
  const [from, to] = order === 'asc' ? [after ?? first, end] : [first, after ?? end]
  return sql.query<PageRow<UserRow>>({
    name: `find_users_by_prefix_${order}`,
    text: () =>
      withinPageBytes(`
      select ${userExpression(sql, 'u')} as item from ${sql.table('users')} u
      where u.audience = $1
        and (u.email collate "C", u.id) > ($2, $3) and (u.email collate "C", u.id) < ($4, $5)
      order by u.email collate "C" ${order}, u.id ${order} limit $6`),
    values: [audience, from.email, from.id, to.email, to.id, limit],
  })
}
