import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import type { Rows } from '../../platform/sql/tables.ts'
import { deleteSurplusSessions } from '../sessions/delete-surplus-sessions.sql.ts'
import type { SessionCeiling } from '../sessions/session-limits.ts'
import { isBannedCondition } from '../users/ban.sql.ts'

export interface UseOfPasskey {
  userId: string
  passkeyId: string
  /** The signature count of the authenticator. */
  signCount: number
  backedUp: boolean
  now: Date
  /** Rows from `rowsOf`, as the audit entries are. */
  sessionRows: Rows<'sessions'>
  sessionCeiling: SessionCeiling
  messageRows: Rows<'outbox_messages'>
  auditRows: Rows<'audit_entries'>
}

type UseParameters = Omit<UseOfPasskey, 'now'> & { now: string }

const use = statement<UseParameters>(
  'use_passkey',
  (sql, $) => `
    with u as materialized (
      select u.id from ${sql.table('users')} u
      where u.id = ${$.userId} and u.deleted_at is null and not ${isBannedCondition('u', $.now)}
      for no key update
    ), p as (
      update ${sql.table('passkeys')} p set sign_count = ${$.signCount}::bigint, backed_up = ${$.backedUp},
        last_used_at = ${$.now}
      from u where p.id = ${$.passkeyId} and p.user_id = u.id and p.suspended_at is null
        and (p.sign_count < ${$.signCount}::bigint or (p.sign_count = 0 and ${$.signCount}::bigint = 0))
      returning p.user_id
    ), signed_in as (
      update ${sql.table('users')} u set last_sign_in_at = ${$.now}, version = u.version + 1
      from p where u.id = p.user_id
    ), s as (
      ${sql.insertRows('sessions', $.sessionRows)} where exists (select from p)
      returning user_id, oauth_client_id
    ), surplus as (
      ${deleteSurplusSessions(sql, 's', $.sessionCeiling)}
    ), m as (
      ${sql.insertRows('outbox_messages', $.messageRows)} where exists (select from p)
    ), a as (
      ${sql.insertRows('audit_entries', $.auditRows)} where exists (select from p)
    )
    select user_id from p`,
)

/**
 * Opens a session by a passkey and stores the signature count. Does nothing when the passkey is
 * deleted, suspended or has a higher count since it was read, or when the user is banned or
 * deleted.
 *
 * @returns whether the session was opened.
 */
export async function usePasskey(
  sql: Queryable,
  { now, ...opening }: UseOfPasskey,
): Promise<boolean> {
  const rows = await sql.query(use, { ...opening, now: now.toISOString() })
  return rows.length > 0
}
