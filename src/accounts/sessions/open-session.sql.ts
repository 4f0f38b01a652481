import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import type { Rows } from '../../platform/sql/tables.ts'
import { isBannedCondition } from '../users/ban.sql.ts'
import { deleteSurplusSessions } from './delete-surplus-sessions.sql.ts'
import type { SessionCeiling } from './session-limits.ts'

export interface OpeningOfSession {
  userId: string
  /** Rows from `rowsOf`, as the audit entries are. */
  sessionRows: Rows<'sessions'>
  sessionCeiling: SessionCeiling
  /** The hash against which the password was verified. */
  passwordHash: string
  /** The new hash to store; null keeps the old one. */
  renewedHash: string | null
  /** The counts of failed passwords, which the sign-in deletes. */
  attemptKeys: readonly string[]
  now: Date
  messageRows: Rows<'outbox_messages'>
  auditRows: Rows<'audit_entries'>
}

type OpenParameters = Omit<OpeningOfSession, 'attemptKeys' | 'now'> & {
  attemptKeys: string
  now: string
}

const open = statement<OpenParameters>(
  'open_session',
  (sql, $) => `
    with u as (
      update ${sql.table('users')} u set last_sign_in_at = ${$.now},
        password_hash = coalesce(${$.renewedHash}, u.password_hash), version = u.version + 1
      where u.id = ${$.userId} and u.password_hash = ${$.passwordHash} and u.deleted_at is null
        and not ${isBannedCondition('u', $.now)}
      returning u.id
    ), s as (
      ${sql.insertRows('sessions', $.sessionRows)} where exists (select from u)
      returning user_id, oauth_client_id
    ), surplus as (
      ${deleteSurplusSessions(sql, 's', $.sessionCeiling)}
    ), p as (
      delete from ${sql.table('password_attempts')}
      where key = any(${$.attemptKeys}::text[]) and exists (select from u)
    ), m as (
      ${sql.insertRows('outbox_messages', $.messageRows)} where exists (select from u)
    ), a as (
      ${sql.insertRows('audit_entries', $.auditRows)} where exists (select from u)
    )
    select id from u`,
)

/**
 * Opens a session, stores the time of the sign-in and its audit entries. Does nothing when the
 * password was changed or the user banned or deleted since the verification. The version of the
 * user increases: a concurrent change that ends all sessions would not see this one.
 *
 * @returns whether the session was opened.
 */
export async function openSession(
  sql: Queryable,
  { attemptKeys, now, ...opening }: OpeningOfSession,
): Promise<boolean> {
  const rows = await sql.query(open, {
    ...opening,
    attemptKeys: `{${attemptKeys.join()}}`,
    now: now.toISOString(),
  })
  return rows.length > 0
}

/** The session that an authorization code is exchanged for. */
interface CodeExchange {
  codeId: string
  userId: string
  /** Rows from `rowsOf`, as the audit entries are. */
  sessionRows: Rows<'sessions'>
  sessionCeiling: SessionCeiling
  now: Date
  messageRows: Rows<'outbox_messages'>
  auditRows: Rows<'audit_entries'>
}

type ExchangeParameters = Omit<CodeExchange, 'now'> & { now: string }

const exchange = statement<ExchangeParameters>(
  'open_session_by_code',
  (sql, $) => `
    with spent as (
      delete from ${sql.table('authorization_codes')}
      where id = ${$.codeId} and user_id = ${$.userId} and expires_at > ${$.now} returning user_id
    ), u as (
      update ${sql.table('users')} u set last_sign_in_at = ${$.now}, version = u.version + 1
      from spent
      where u.id = spent.user_id and u.deleted_at is null
        and not ${isBannedCondition('u', $.now)}
      returning u.id
    ), s as (
      ${sql.insertRows('sessions', $.sessionRows)} where exists (select from u)
      returning user_id, oauth_client_id
    ), surplus as (
      ${deleteSurplusSessions(sql, 's', $.sessionCeiling)}
    ), m as (
      ${sql.insertRows('outbox_messages', $.messageRows)} where exists (select from u)
    ), a as (
      ${sql.insertRows('audit_entries', $.auditRows)} where exists (select from u)
    )
    select id from u`,
)

/**
 * Consumes an authorization code and opens its session, in one statement: only one of several
 * requests with the same code succeeds. It opens none for a user who was banned or deleted
 * meanwhile.
 *
 * @returns whether the session was opened.
 */
export async function openSessionByCode(
  sql: Queryable,
  { now, ...earned }: CodeExchange,
): Promise<boolean> {
  const rows = await sql.query(exchange, { ...earned, now: now.toISOString() })
  return rows.length > 0
}
