import type { Clock } from '../../platform/kit/clock.ts'
import { memoize } from '../../platform/kit/memoize.ts'
import type { Precondition, PreconditionText, Queryable } from '../../platform/sql/queryable.ts'
import { type ParameterValues, statement } from '../../platform/sql/statement.ts'
import type { Address } from './addresses.ts'
import type { TakenAddresses } from './find-owners.sql.ts'
import {
  type StoredUser,
  type StoredUserColumns,
  storedUserColumns,
  toStoredUser,
} from './find-user.sql.ts'
import { isFoundByAddress } from './found-by-address.sql.ts'
import { keepsAddressCondition } from './kept-address.ts'

interface FoundColumns extends StoredUserColumns {
  is_found: boolean
}

const findAfter = memoize(<Spent>(spending: PreconditionText<Spent>) => {
  const findBy = (kind: Address['kind']) =>
    statement<{ spending: ParameterValues; address: string }, Spent & FoundColumns>(
      `find_for_message_by_${kind}`,
      (sql, $) => `
        with ${spending(sql, $.spending)}
        select spent.*, u.id is not null as is_found, ${storedUserColumns(sql, 'u')}
        from spent left join ${sql.table('users')} u
          on u.${kind} = case when spent.allowed then ${$.address} end
            and ${isFoundByAddress('u')}`,
    )
  return { email: findBy('email'), phone: findBy('phone') }
})

/**
 * Spends the limits of a message and looks up its recipient, in one statement. For an unknown
 * address, the columns of the user are formatted from nulls, so that it takes as long as for a
 * known one. Where the limits reject the request, the address is not looked up, so that the time of
 * the rejection reveals nothing.
 *
 * An address belongs to at most one user, over all audiences.
 */
export async function findForMessage<Spent>(
  sql: Queryable,
  spending: Precondition<Spent>,
  { kind, value }: Address,
): Promise<{ spent: Spent; found: StoredUser | null }> {
  const [row] = await sql.query(findAfter(spending.text)[kind], {
    spending: spending.values,
    address: value,
  })
  if (!row) throw new Error('limits were not spent')
  return { spent: row, found: row.is_found ? toStoredUser(row) : null }
}

export interface FoundForUpdate<Spent> {
  spent: Spent
  stored: StoredUser | null
  taken: TakenAddresses
}

interface Row extends StoredUserColumns {
  email_taken: boolean
  phone_taken: boolean
}

const findAfterForUpdate = memoize(<Spent>(spending: PreconditionText<Spent>) =>
  statement<FindParameters, Spent & Row>('find_for_update', (sql, $) => {
    const users = sql.table('users')
    const isTaken = (column: 'email' | 'phone', wanted: string) => `case when spent.allowed then
      exists (select from ${users} u
        where u.${column} = ${wanted} and u.id <> ${$.userId} and ${keepsAddressCondition('u', column, $.now)})
      else false end`
    return `
      with ${spending(sql, $.spending)}
      select spent.*, found.*,
        ${isTaken('email', $.email)} as email_taken, ${isTaken('phone', $.phone)} as phone_taken
      from spent left join (
        select ${storedUserColumns(sql, 'u')} from ${users} u
        where u.id = ${$.userId} and u.deleted_at is null
      ) found on true`
  }),
)

type FindParameters = {
  spending: ParameterValues
  userId: string
  email: string | null
  phone: string | null
  now: string
}

/**
 * Spends the limits of a message to a new address, and finds the stored user and whether other
 * users keep the address. The address is not looked up where the limits reject the request, so that
 * the rejection reveals nothing.
 */
export async function findForUpdate<Spent>(
  { sql, clock }: { sql: Queryable; clock: Clock },
  spending: Precondition<Spent>,
  userId: string,
  { email, phone }: { email: string | null; phone: string | null },
): Promise<FoundForUpdate<Spent>> {
  const [row] = await sql.query(findAfterForUpdate(spending.text), {
    spending: spending.values,
    userId,
    email,
    phone,
    now: clock.now().toISOString(),
  })
  if (!row) throw new Error('limits were not spent')
  return {
    spent: row,
    stored: row.user ? toStoredUser(row) : null,
    taken: { email: row.email_taken, phone: row.phone_taken },
  }
}
