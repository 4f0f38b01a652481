import type { AuthContext } from '../../deps.ts'
import { validationFailed } from '../../errors/request-errors.ts'
import { pageByKey } from '../../steps/page-by-key.ts'
import { type AccountRow, toAccount } from '../../users/account-row.ts'
import { findUsersAfter } from '../../users/find-users-after.sql.ts'
import type { UserQuery } from '../../users/find-users-by-page.sql.ts'
import type { ListedUsers, ListUsersInput } from './list-users-input.ts'

/**
 * The users of an audience, deleted ones included, page by page.
 *
 * @throws AuthError `validation_failed`
 */
export async function listUsers(
  ctx: AuthContext,
  input: Omit<ListUsersInput, 'order'> & { order?: string | undefined },
): Promise<ListedUsers> {
  const query: UserQuery = {
    audience: input.audience || ctx.request.audience,
    filter: input.filter || null,
    order: readOrder(input.order),
  }
  const { rows, nextCursor } = await pageByKey<AccountRow>(ctx, input, {
    scope: ['users', query.audience, query.filter, query.order],
    positionOf: (row) => [row.created_at, row.id],
    find: (limit, after) =>
      findUsersAfter(ctx.sql, query, {
        limit,
        after: after && { createdAt: after[0] ?? '', id: after[1] ?? '' },
      }),
  })
  return { users: rows.map(toAccount), nextCursor }
}

function readOrder(order = 'desc'): 'asc' | 'desc' {
  if (order === 'asc' || order === 'desc') return order
  throw validationFailed('order: has to be asc or desc')
}
