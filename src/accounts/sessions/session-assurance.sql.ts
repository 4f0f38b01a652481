import type { Placeholders } from '../../platform/sql/statement.ts'
import type { TableFragments } from '../../platform/sql/tables.ts'

// What several rooms say of a session in their statements: it rises by a factor or by a trusted device, and falls back.

/** Common table expressions: `u` locks a user who is not deleted, `live` a session of theirs that is not revoked. */
export const liveSession = (
  sql: TableFragments,
  $: Placeholders<{ userId: string; sessionId: string }>,
): string => `u as materialized (
      select id from ${sql.table('users')}
      where id = ${$.userId} and deleted_at is null for no key update
    ), live as materialized (
      select s.id from ${sql.table('sessions')} s join u on u.id = s.user_id
      where s.id = ${$.sessionId} and s.revoked_at is null for no key update of s
    )`

/** What the counter of refresh tokens jumps by, so that the token from before is not even the last. */
const counterJump = 2

/**
 * What an update of a session `s` sets that rises to `aal2`.
 *
 * @param proof an expression for the entry of `amr` that says by what: `{ method, timestamp }` in JSON.
 */
export const raised = (proof: string): string => `aal = 'aal2',
        refresh_token_counter = s.refresh_token_counter + ${counterJump},
        amr = ${proof}::jsonb || ${amrWithout(`${proof}::jsonb ->> 'method'`)}`

/**
 * An expression for the `amr` of a session `s` without some of its methods.
 *
 * @param methods an expression for one, or `all (…)` for several.
 */
export const amrWithout = (methods: string): string => `coalesce((
          select jsonb_agg(known) from jsonb_array_elements(s.amr) known
          where coalesce(known ->> 'method', '') <> ${methods}), '[]')`

/** A condition on a session: a trusted device stood in for a factor, which was not shown in it. */
export const restsOnDevice = (session: string): string =>
  `${session}.factor_id is null and ${session}.amr @> '[{"method": "trusted_device"}]'`

/** What an update of a session `s` sets that loses what a trusted device gave it. */
export const loweredFromDevice = `aal = 'aal1', amr = ${amrWithout(`'trusted_device'`)}`

/** An update that takes from a user's sessions what a trusted device gave them. */
export const lowerFromDevice = (sql: TableFragments, userId: string): string =>
  `update ${sql.table('sessions')} s set ${loweredFromDevice}
      where s.user_id = ${userId} and ${restsOnDevice('s')}`

/**
 * An update that takes the assurance of factors from one session of a user.
 *
 * @param methods an expression for the methods that `amr` loses: see {@link amrWithout}.
 */
export const lowerSession = (
  sql: TableFragments,
  users: string,
  { sessionId, methods, condition }: { sessionId: string; methods: string; condition: string },
): string =>
  `update ${sql.table('sessions')} s set aal = 'aal1', factor_id = null, amr = ${amrWithout(methods)}
      from ${users} owner where ${condition} and s.user_id = owner.id and s.id = ${sessionId}`
