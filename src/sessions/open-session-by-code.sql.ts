import type { Queryable } from '../sql/queryable.ts'
import type { Rows } from '../sql/tables.ts'

/** A session that an authorization code earned. */
export interface CodeExchange {
  codeId: string
  userId: string
  /** As `rowsOf` makes them, as the audit entries are. */
  sessionRows: Rows<'sessions'>
  now: Date
  auditRows: Rows<'audit_entries'>
}

/**
 * Spends an authorization code and opens its session, in one statement: of many who come with the same
 * code, one is let in. Nobody is who was banned or deleted meanwhile.
 *
 * @returns whether the session was opened.
 */
export async function openSessionByCode(
  sql: Queryable,
  { codeId, userId, sessionRows, now, auditRows }: CodeExchange,
): Promise<boolean> {
  const rows = await sql.query({
    name: 'open_session_by_code',
    text: () => `
      with spent as (
        delete from ${sql.table('authorization_codes')}
        where id = $1 and user_id = $2 and expires_at > $3 returning user_id
      ), u as (
        update ${sql.table('users')} u set last_sign_in_at = $3, version = u.version + 1 from spent
        where u.id = spent.user_id and u.deleted_at is null
          and (u.banned_until is null or u.banned_until <= $3)
        returning u.id
      ), s as (
        ${sql.insertRows('sessions', '$4')} where exists (select from u)
      ), a as (
        ${sql.insertRows('audit_entries', '$5')} where exists (select from u)
      )
      select id from u`,
    values: [codeId, userId, now.toISOString(), sessionRows, auditRows],
  })
  return rows.length > 0
}
