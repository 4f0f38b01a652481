import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import type { Rows } from '../../platform/sql/tables.ts'
import { reportSessionsOf } from '../sessions/sessions.sql.ts'
import type { User } from '../users/user.ts'
import { noPendingChanges } from '../users/user-addresses.ts'
import { toUser, type UserRow, userExpression } from '../users/user-row.ts'
import { endParts } from './end-parts.sql.ts'

export interface Ban {
  userId: string
  /** Null lifts a ban. */
  until: Date | null
  now: Date
  auditRows: Rows<'audit_entries'>
}

type BanParameters = {
  userId: string
  changes: string
  isBan: boolean
  auditRows: Rows<'audit_entries'>
}

const change = statement<BanParameters, { user: UserRow }>(
  'set_ban',
  (sql, $) => `
    with banned as (
      update ${sql.table('users')} u set ${sql.setColumns('users', 'u', $.changes)}
      where id = ${$.userId} returning *
    ), ${endParts(sql, 'banned', { userBanned: $.isBan })}, ${reportSessionsOf(sql, 'banned', $.isBan)}, a as (
      ${sql.insertRows('audit_entries', $.auditRows)} where exists (select from banned)
    )
    select ${userExpression(sql, 'banned')} as user from banned`,
)

/**
 * Bans a user or lifts the ban, in one statement. A ban revokes pending changes of address: the
 * attacker against whom it is directed may have requested them.
 *
 * @returns null when there is no such user.
 */
export async function setBan(
  sql: Queryable,
  { userId, until, now, auditRows }: Ban,
): Promise<User | null> {
  const stamps = { banned_until: until?.toISOString() ?? null, updated_at: now.toISOString() }
  const changes = until ? { ...stamps, ...noPendingChanges } : stamps
  const [row] = await sql.query(change, {
    userId,
    changes: JSON.stringify(changes),
    isBan: until !== null,
    auditRows,
  })
  return row ? toUser(row.user) : null
}
