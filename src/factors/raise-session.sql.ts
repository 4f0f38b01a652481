import type { Placeholders } from '../sql/statement.ts'
import type { TableFragments } from '../sql/tables.ts'

/** What the counter of refresh tokens jumps by, so that the token from before is not even the last. */
const counterJump = 2

/** Whose session is raised, and the entry of `amr` that says by what: `{ method, timestamp }` in JSON. */
interface RaiseParameters {
  userId: string
  sessionId: string
  proof: string
}

/**
 * Common table expressions of a proof: `s` raises the session to `aal2` by the factor that an earlier one names as
 * `f`, and holds it as `session`; weaker sessions of the user end.
 */
export const raiseSession = (
  sql: TableFragments,
  $: Placeholders<RaiseParameters>,
): string => `s as (
      update ${sql.table('sessions')} s set aal = 'aal2', factor_id = f.id,
        refresh_token_counter = s.refresh_token_counter + ${counterJump},
        amr = ${$.proof}::jsonb || coalesce((
          select jsonb_agg(known) from jsonb_array_elements(s.amr) known
          where known ->> 'method' <> ${$.proof}::jsonb ->> 'method'), '[]')
      from f where s.id = ${$.sessionId} returning to_jsonb(s) as session
    ), weaker as (
      delete from ${sql.table('sessions')} s using f
      where s.user_id = ${$.userId} and s.id <> ${$.sessionId} and s.aal <> 'aal2'
    )`
