import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import type { Rows, TableFragments } from '../../platform/sql/tables.ts'
import {
  amrWithout,
  restsOnSubstitute,
  substituteArray,
} from '../sessions/session-assurance.sql.ts'
import { endParts } from './end-parts.sql.ts'

export interface FactorRemoval {
  userId: string
  factorId: string
  /** The method in `amr` of each type of factor. */
  methods: Readonly<Record<string, string>>
  messageRows: Rows<'outbox_messages'>
  auditRows: Rows<'audit_entries'>
}

type RemoveParameters = Omit<FactorRemoval, 'methods'> & { methods: string }

const remove = statement<RemoveParameters>(
  'remove_factor',
  (sql, $) => `
    with f as (
      delete from ${sql.table('factors')} f where f.user_id = ${$.userId}
        and (f.id = ${$.factorId} or (${isLeftAlone(sql, 'f', `o.id <> ${$.factorId}`)}))
      returning f.id, f.user_id, f.factor_type, f.status
    ), ${withoutFactors(sql, $.methods)}, m as (
      ${sql.insertRows('outbox_messages', $.messageRows)} where exists (select from f)
    ), a as (
      ${sql.insertRows('audit_entries', $.auditRows)} where exists (select from f)
    )
    select id from f where id = ${$.factorId}`,
)

/**
 * Returns the common table expressions of a removal of factors, which an earlier one contains as
 * `f`. The grants of their users end, and sessions lose the assurance of these factors and of
 * substitutes. Sessions are searched user by user, even where the planner misestimates a table that
 * is being filled.
 *
 * @param methods the method in `amr` of each type of factor, in JSON.
 */
export const withoutFactors = (
  sql: TableFragments,
  methods: string,
): string => `${endParts(sql, `(select user_id as id from f where status = 'verified')`, { factorRemoved: 'true' })}, lowered as (
      update ${sql.table('sessions')} s set aal = 'aal1', factor_id = null, amr = ${amrWithout(`all (
            select ${methods}::jsonb ->> factor_type from f where f.user_id = s.user_id
            union select unnest(${substituteArray}))`)}
      from (
        select user_id, array_agg(id) as ids, bool_or(status = 'verified') as had_verified from f group by user_id
      ) owner cross join lateral (
        select o.id from ${sql.table('sessions')} o
        where o.user_id = owner.user_id and (o.factor_id = any(owner.ids) or (owner.had_verified
          and ${restsOnSubstitute('o')}))
        offset 0) weakened
      where s.id = weakened.id
    )`

/**
 * Returns a condition on a factor: it is a set of recovery codes whose user has no other verified
 * factor.
 *
 * @param others a condition that limits which factors `o` count as others.
 */
export const isLeftAlone = (sql: TableFragments, factor: string, others = 'true'): string =>
  `${factor}.factor_type = 'recovery_code' and not exists (
          select from ${sql.table('factors')} o where o.user_id = ${factor}.user_id
            and o.factor_type <> 'recovery_code' and o.status = 'verified' and ${others})`

/**
 * Removes a factor. With the last verified one it removes the recovery codes, which are never the
 * only factor. Sessions lose the assurance that these factors gave them. With a verified factor the
 * grants of capabilities end, and sessions that a substitute raised return to `aal1`.
 *
 * The caller has locked the user: a statement that waited for a proof would not see the session
 * that the proof raised.
 *
 * @returns whether the user had this factor.
 */
export async function removeFactor(
  sql: Queryable,
  { methods, ...removal }: FactorRemoval,
): Promise<boolean> {
  const removed = await sql.query(remove, { ...removal, methods: JSON.stringify(methods) })
  return removed.length > 0
}
