import type { Queryable } from '../sql/queryable.ts'
import type { Rows } from '../sql/tables.ts'

export interface OpeningOfSession {
  userId: string
  /** As `rowsOf` makes them, as the audit entries are. */
  sessionRows: Rows<'sessions'>
  /** The hash that the password was checked against. */
  passwordHash: string
  /** The hash to keep from now on; null keeps the old one. */
  renewedHash: string | null
  /** The counts of passwords tried in a row, which end here. */
  attemptKeys: readonly string[]
  now: Date
  auditRows: Rows<'audit_entries'>
}

/**
 * Opens a session, notes the sign-in with the user and writes its audit entries. Does nothing when
 * the password was changed or the user banned or deleted since the check. It counts the user's version up: whoever
 * is about to change the user and to end all sessions would not see this one.
 *
 * @returns whether the session was opened.
 */
export async function openSession(
  sql: Queryable,
  { userId, sessionRows, passwordHash, renewedHash, attemptKeys, now, auditRows }: OpeningOfSession,
): Promise<boolean> {
  const rows = await sql.query({
    name: 'open_session',
    text: () => `
      with u as (
        update ${sql.table('users')} set last_sign_in_at = $4,
          password_hash = coalesce($6, password_hash), version = version + 1
        where id = $1 and password_hash = $3 and deleted_at is null
          and (banned_until is null or banned_until <= $4)
        returning id
      ), s as (
        ${sql.insertRows('sessions', '$2')} where exists (select from u)
      ), p as (
        delete from ${sql.table('password_attempts')} where key = any($7::text[]) and exists (select from u)
      ), a as (
        ${sql.insertRows('audit_entries', '$5')} where exists (select from u)
      )
      select id from u`,
    values: [
      userId,
      sessionRows,
      passwordHash,
      now.toISOString(),
      auditRows,
      renewedHash,
      `{${attemptKeys.join()}}`,
    ],
  })
  return rows.length > 0
}
