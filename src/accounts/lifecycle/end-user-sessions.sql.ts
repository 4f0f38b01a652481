import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import type { Rows } from '../../platform/sql/tables.ts'
import { noPendingChanges } from '../users/pending.ts'
import { endParts } from './end-parts.sql.ts'

interface EndOfAll {
  userId: string
  /** Both are stored where there was a session. */
  messageRows: Rows<'outbox_messages'>
  auditRows: Rows<'audit_entries'>
}

type EndParameters = EndOfAll & { changes: string }

const end = statement<EndParameters, { ended: number }>(
  'end_user_sessions',
  (sql, $) => `
    with u as (
      select id from ${sql.table('users')} where id = ${$.userId} for update
    ), ${endParts(sql, 'u', { sessionsRevoked: 'true' })}, settled as (
      update ${sql.table('users')} u set ${sql.setColumns('users', 'u', $.changes)}
      where u.id in (select id from u) and (u.new_email is not null or u.new_phone is not null)
    ), m as (
      ${sql.insertRows('outbox_messages', $.messageRows)} where exists (select from ended)
    ), a as (
      ${sql.insertRows('audit_entries', $.auditRows)} where exists (select from ended)
    )
    select (select count(*)::int from ended) as ended from u`,
)

/**
 * Ends all sessions of a user on behalf of an operator, and the grants of capabilities. It revokes
 * the pending changes of address: the attacker against whom the sessions are ended may have
 * requested them. The user is locked first, as by every change of a user.
 *
 * @returns the number of sessions; null when there is no such user.
 */
export async function endUserSessions(sql: Queryable, ending: EndOfAll): Promise<number | null> {
  const changes = JSON.stringify(noPendingChanges)
  const [found] = await sql.query(end, { ...ending, changes })
  return found?.ended ?? null
}
