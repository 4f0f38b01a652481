import { factorSubstitutes } from '../../platform/capability-terms.ts'
import type { Placeholders } from '../../platform/sql/statement.ts'
import type { TableFragments } from '../../platform/sql/tables.ts'

// Fragments about the assurance of a session, which a factor or a substitute for one raises: see
// `factorSubstitutes`.

/**
 * Returns common table expressions: `u` locks a user who is not deleted, `live` a session of the
 * user that is not revoked.
 */
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

/**
 * The increase of the refresh token counter, so that the token from before is not even the previous
 * one.
 */
const counterJump = 2

/**
 * Returns the assignments of an update that raises a session `s` to `aal2`.
 *
 * @param proof an expression for the entry of `amr`: `{ method, timestamp }` in JSON.
 */
export const raised = (proof: string): string => `aal = 'aal2',
        refresh_token_counter = s.refresh_token_counter + ${counterJump},
        amr = ${proof}::jsonb || ${amrWithout(`${proof}::jsonb ->> 'method'`)}`

/**
 * Returns an expression for the `amr` of a session `s` without some of its methods.
 *
 * @param methods an expression for one, or `all (…)` for several.
 */
export const amrWithout = (methods: string): string => `coalesce((
          select jsonb_agg(known) from jsonb_array_elements(s.amr) known
          where coalesce(known ->> 'method', '') <> ${methods}), '[]')`

/** The methods of substitutes for a factor, as an array of SQL. */
export const substituteArray = `array[${factorSubstitutes.map((method) => `'${method}'`).join()}]::text[]`

/** Returns a condition on a session: a substitute raised it, and no factor was proved in it. */
export const restsOnSubstitute = (session: string): string => {
  const ofMethods = factorSubstitutes.map(
    (method) => `${session}.amr @> '[{"method": "${method}"}]'`,
  )
  return `${session}.factor_id is null and (${['false', ...ofMethods].join(' or ')})`
}

/** The assignments of an update that removes the assurance of substitutes from a session `s`. */
export const loweredFromSubstitute = `aal = 'aal1', amr = ${amrWithout(`all (${substituteArray})`)}`

/** Returns an update that removes the assurance of substitutes from the sessions of a user. */
export const lowerFromSubstitute = (sql: TableFragments, userId: string): string =>
  `update ${sql.table('sessions')} s set ${loweredFromSubstitute}
      where s.user_id = ${userId} and ${restsOnSubstitute('s')}`

/**
 * Returns an update that removes the assurance of factors from one session of a user.
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

/** The session to raise, and the entry of `amr` for the proof: `{ method, timestamp }` in JSON. */
interface RaiseParameters {
  sessionId: string
  proof: string
}

/**
 * Returns the common table expressions of a proof. `s` raises the session to `aal2` by the factor
 * in an earlier expression `f`, and contains it as `session`.
 */
export const raiseSession = (
  sql: TableFragments,
  $: Placeholders<RaiseParameters>,
): string => `s as (
      update ${sql.table('sessions')} s set factor_id = f.id, ${raised($.proof)}
      from f where s.id = ${$.sessionId} returning to_jsonb(s) as session
    )`
