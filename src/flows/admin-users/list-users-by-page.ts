import type { AuthContext } from '../../deps.ts'
import {
  findUsersByPage,
  type PageOfUsers,
  type UserQuery,
} from '../../users/find-users-by-page.sql.ts'

/** One page of the users of the request's audience, deleted ones included, and how many there are. */
export const listUsersByPage = (
  { sql, request }: AuthContext,
  query: Omit<UserQuery, 'audience'>,
  { page, perPage }: { page: number; perPage: number },
): Promise<PageOfUsers> =>
  findUsersByPage(
    sql,
    { ...query, audience: request.audience },
    { limit: perPage, offset: (page - 1) * perPage },
  )
