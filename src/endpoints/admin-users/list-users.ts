import type { AuthContext } from '../../accounts/auth-context.ts'
import { estimateUsers } from '../../accounts/users/estimate-users.sql.ts'
import {
  findUsersAfter,
  findUsersByPage,
  findUsersByPrefix,
  type PageOfUsers,
  type PrefixQuery,
  type UserQuery,
} from '../../accounts/users/find-users.sql.ts'
import { toUser, type UserRow } from '../../accounts/users/user-row.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import { requireShort } from '../../platform/kit/storable-text.ts'
import { pageByKey } from '../../platform/sql/page-by-key.ts'
import type { ListedUsers, ListUsersInput } from './admin-users.endpoint.ts'

type UnvalidatedInput = Omit<ListUsersInput, 'order' | 'count'> & {
  order?: string | undefined
  count?: string | undefined
}

/**
 * Lists the users of an audience page by page, also soft-deleted ones.
 *
 * @throws AuthError `validation_failed`
 */
export async function listUsers(ctx: AuthContext, input: UnvalidatedInput): Promise<ListedUsers> {
  const audience = input.audience || ctx.request.audience
  const filter = requireShort(input.filter ?? '', 'filter') || null
  if (input.emailPrefix && input.filter) {
    throw validationFailed('emailPrefix: cannot be given together with filter')
  }
  const isCounted = readCount(input.count)
  if (!input.emailPrefix) {
    const order = readOrder(input.order ?? 'desc')
    const listed = await listByTime(ctx, input, { audience, filter, order })
    if (!isCounted) return listed
    const users = { audience, filter, emailPrefix: null }
    return { ...listed, estimatedCount: await estimateUsers(ctx.sql, users) }
  }
  const emailPrefix = requireShort(input.emailPrefix, 'emailPrefix').toLowerCase()
  const order = readOrder(input.order ?? 'asc')
  const listed = await listByAddress(ctx, input, { audience, emailPrefix, order })
  if (!isCounted) return listed
  const users = { audience, filter: null, emailPrefix }
  return { ...listed, estimatedCount: await estimateUsers(ctx.sql, users) }
}

/** An exact count of many users would take longer than their page. */
function readCount(count: string | undefined): boolean {
  if (!count) return false
  if (count === 'estimated') return true
  throw validationFailed('count: has to be estimated')
}

async function listByTime(ctx: AuthContext, input: UnvalidatedInput, query: UserQuery) {
  const { rows, nextCursor } = await pageByKey<UserRow>(ctx, input, {
    scope: ['users', query.audience, query.filter, query.order],
    positionOf: (row) => [row.created_at, row.id],
    find: (limit, after) =>
      findUsersAfter(ctx.reader, query, {
        limit,
        after: after && { createdAt: after[0] ?? '', id: after[1] ?? '' },
      }),
  })
  return { users: rows.map(toUser), nextCursor }
}

async function listByAddress(ctx: AuthContext, input: UnvalidatedInput, query: PrefixQuery) {
  const { rows, nextCursor } = await pageByKey<UserRow>(ctx, input, {
    scope: ['users by address', query.audience, query.emailPrefix, query.order],
    positionOf: (row) => [row.email, row.id],
    find: (limit, after) =>
      findUsersByPrefix(ctx.reader, query, {
        limit,
        after: after && { email: after[0] ?? '', id: after[1] ?? '' },
      }),
  })
  return { users: rows.map(toUser), nextCursor }
}

function readOrder(order: string): 'asc' | 'desc' {
  if (order === 'asc' || order === 'desc') return order
  throw validationFailed('order: has to be asc or desc')
}

/**
 * Returns one page of the users of the request's audience, also soft-deleted ones, and the total.
 */
export const listUsersByPage = (
  { reader, request }: AuthContext,
  query: Omit<UserQuery, 'audience'>,
  { page, perPage }: { page: number; perPage: number },
): Promise<PageOfUsers> =>
  findUsersByPage(
    reader,
    { ...query, audience: request.audience },
    { limit: perPage, offset: (page - 1) * perPage },
  )
