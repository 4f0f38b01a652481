import { factorSubstitutes } from '../../platform/capability-terms.ts'
import type { Placeholders } from '../../platform/sql/statement.ts'
import type { TableFragments } from '../../platform/sql/tables.ts'

// Fragments about the assurance of a session, which a factor raises, or a substitute for one: see `factorSubstitutes`.

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

/** The methods of substitutes for a factor, as an array of SQL. */
export const substituteArray = `array[${factorSubstitutes.map((method) => `'${method}'`).join()}]::text[]`

/** A condition on a session: a substitute raised it, and no factor was proved in it. */
export const restsOnSubstitute = (session: string): string => {
  const ofMethods = factorSubstitutes.map(
    (method) => `${session}.amr @> '[{"method": "${method}"}]'`,
  )
  return `${session}.factor_id is null and (${['false', ...ofMethods].join(' or ')})`
}

/** What an update of a session `s` sets that loses the assurance of substitutes. */
export const loweredFromSubstitute = `aal = 'aal1', amr = ${amrWithout(`all (${substituteArray})`)}`

/** An update that takes the assurance of substitutes from the sessions of a user. */
export const lowerFromSubstitute = (sql: TableFragments, userId: string): string =>
  `update ${sql.table('sessions')} s set ${loweredFromSubstitute}
      where s.user_id = ${userId} and ${restsOnSubstitute('s')}`

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
