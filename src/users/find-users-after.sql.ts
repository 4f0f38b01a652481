import { nilUuid } from '../kit/uuid.ts'
import { containing } from '../sql/like-pattern.ts'
import { type PageRow, withinPageBytes } from '../sql/page-within-bytes.ts'
import type { Queryable } from '../sql/queryable.ts'
import { matchesFilter, type UserQuery } from './find-users-by-page.sql.ts'
import { type UserRow, userExpression } from './user-row.ts'

/** Where in the list a user is. */
export interface UserPosition {
  /** As PostgreSQL writes it: to the microsecond. */
  createdAt: string
  id: string
}

/** What comes before everybody, in either order. */
const beginnings: Record<UserQuery['order'], UserPosition> = {
  asc: { createdAt: '-infinity', id: nilUuid },
  desc: { createdAt: 'infinity', id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' },
}

/** Users behind a position in the list, found by index however far that is. */
export async function findUsersAfter(
  sql: Queryable,
  { audience, filter, order }: UserQuery,
  { limit, after }: { limit: number; after: UserPosition | null },
): Promise<PageRow<UserRow>[]> {
  const { createdAt, id } = after ?? beginnings[order]
  return sql.query<PageRow<UserRow>>({
    name: filter === null ? `find_users_after_${order}` : '',
    text: () =>
      withinPageBytes(`
      select ${userExpression(sql, 'u')} as item from ${sql.table('users')} u
      where u.audience = $1 and (u.created_at, u.id) ${order === 'asc' ? '>' : '<'} ($2, $3)
        ${filter === null ? '' : `and ${matchesFilter('$5')}`}
      order by u.created_at ${order}, u.id ${order} limit $4`),
    values: [audience, createdAt, id, limit, ...(filter === null ? [] : [containing(filter)])],
  })
}
