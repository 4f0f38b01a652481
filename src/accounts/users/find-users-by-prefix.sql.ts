import { nilUuid } from '../../platform/kit/uuid.ts'
import { prefixUpperBound } from '../../platform/sql/like-pattern.ts'
import { type PageRow, withinPageBytes } from '../../platform/sql/page-within-bytes.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import { type UserRow, userExpression } from './user-row.ts'

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
export interface AddressPosition {
  email: string
  id: string
}

interface FindParameters {
  audience: string
  fromEmail: string
  fromId: string
  toEmail: string
  toId: string
  limit: number
}

const findInOrder = (order: PrefixQuery['order']) =>
  statement<FindParameters, PageRow<UserRow>>(`find_users_by_prefix_${order}`, (sql, $) =>
    withinPageBytes(`
      select ${userExpression(sql, 'u')} as item from ${sql.table('users')} u
      where u.audience = ${$.audience}
        and (u.email collate "C", u.id) > (${$.fromEmail}, ${$.fromId})
        and (u.email collate "C", u.id) < (${$.toEmail}, ${$.toId})
      order by u.email collate "C" ${order}, u.id ${order} limit ${$.limit}`),
  )

const findByPrefix = { asc: findInOrder('asc'), desc: findInOrder('desc') }

/** Returns the users after a position in the list. The index finds it however many there are. */
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
