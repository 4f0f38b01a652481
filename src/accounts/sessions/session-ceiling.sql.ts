import type { Placeholders } from '../../platform/sql/statement.ts'
import type { TableFragments } from '../../platform/sql/tables.ts'
import { isPastItsTime, isUnused, lastUseOf } from './session-time.sql.ts'

/** The maximum number of sessions of a user, as a group of parameters. */
export type SessionCeiling = {
  most: number
  /** The maximum number of the user's rows that are read. */
  looked: number
  now: string
  openedSince: string | null
  usedSince: string | null
}

/** The values for a statement that opens no session. */
export const noSessionCeiling: SessionCeiling = {
  most: 0,
  looked: 0,
  now: '-infinity',
  openedSince: null,
  usedSince: null,
}

/**
 * Returns a statement that deletes the sessions of a user beyond the maximum, for the statement
 * that opens one: those that have ended first, then the least recently used. Revoked sessions are
 * kept, so that reuse of their tokens is recognized; the latest ones, up to the same maximum,
 * remain.
 *
 * @param opened the common table expression that returns the `user_id` of the session that is
 *   opened.
 */
export const deleteSurplusSessions = (
  sql: TableFragments,
  opened: string,
  $: Placeholders<SessionCeiling>,
): string => `
  delete from ${sql.table('sessions')} where id in (
    select id from (
      select s.id, s.is_revoked, row_number() over (
        partition by s.is_revoked order by s.is_over, s.used_at desc, s.id) as place
      from (
        select s.id, s.revoked_at is not null as is_revoked, (${isPastItsTime('s', $)} or ${isUnused('s', $)}) as is_over,
          ${lastUseOf('s')} as used_at
        from ${sql.table('sessions')} s
        where s.user_id = (select user_id from ${opened} limit 1) limit ${$.looked}::int
      ) s
    ) ranked
    where place > ${$.most}::int - case when is_revoked then 0 else 1 end)`
