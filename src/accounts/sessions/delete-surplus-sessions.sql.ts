import type { Placeholders } from '../../platform/sql/statement.ts'
import type { TableFragments } from '../../platform/sql/tables.ts'
import { isPastItsTime, isUnused, lastUseOf } from './session-ending.sql.ts'
import type { SessionCeiling } from './session-limits.ts'

/**
 * Returns a statement that deletes the sessions of a user beyond the maximum, for the statement
 * that opens one: those that have ended first, then the least recently used. Revoked sessions are
 * kept, so that reuse of their tokens is recognized; the latest ones, up to the same maximum,
 * remain.
 *
 * The user's own sessions and those of OAuth clients are counted separately: a client opens
 * sessions without an action of the user. Among clients, the one with the most sessions loses one.
 *
 * @param opened the common table expression that returns `user_id` and `oauth_client_id` of the
 *   session that is opened.
 */
export const deleteSurplusSessions = (
  sql: TableFragments,
  opened: string,
  $: Placeholders<SessionCeiling>,
): string => `
  delete from ${sql.table('sessions')} where id = any(array(
    select id from (
      select s.id, s.is_revoked, row_number() over (
        partition by s.is_revoked order by s.is_over, s.place_in_client, s.used_at desc, s.id) as place
      from (
        select s.*, row_number() over (
          partition by s.is_revoked, s.client order by s.is_over, s.used_at desc, s.id) as place_in_client
        from (
          select s.id, s.oauth_client_id as client, s.revoked_at is not null as is_revoked,
            (${isPastItsTime('s', $)} or ${isUnused('s', $)}) as is_over, ${lastUseOf('s')} as used_at
          from ${sql.table('sessions')} s
          where s.user_id = (select user_id from ${opened} limit 1)
            and (s.oauth_client_id is null) = (select oauth_client_id is null from ${opened} limit 1)
          limit ${$.looked}::int
        ) s
      ) s
    ) ranked
    where place > ${$.most}::int - case when is_revoked then 0 else 1 end))`
