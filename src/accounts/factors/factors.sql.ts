import type { Expired } from '../../platform/sql/delete-rows.sql.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import { type NewRow, type Rows, rowsOf, type TableFragments } from '../../platform/sql/tables.ts'

type InsertParameters = {
  factorRows: Rows<'factors'>
  userId: string
  now: string
  replacedIds: string
  auditRows: Rows<'audit_entries'>
}

const insert = statement<InsertParameters>(
  'insert_factor',
  (sql, $) => `
    with u as (
      update ${sql.table('users')}
        set updated_at = ${$.now}, version = version + 1 where id = ${$.userId}
    ), a as (
      ${sql.insertRows('audit_entries', $.auditRows)}
    ), replaced as (
      delete from ${sql.table('factors')}
      where user_id = ${$.userId} and id = any(${$.replacedIds}::uuid[]) returning id
    )
    ${sql.insertRows('factors', $.factorRows)} where (select count(*) from replaced) is not null`,
)

/**
 * Stores a factor in place of others, which are deleted first: they may have its name or number.
 *
 * The version of the user increases. A concurrent change of the account, such as one that removes
 * the factors of other clients, then does not overlook the new one.
 */
export async function insertFactor(
  sql: Queryable,
  row: NewRow<'factors'>,
  { replacedIds, auditRows }: { replacedIds: readonly string[]; auditRows: Rows<'audit_entries'> },
): Promise<void> {
  await sql.query(insert, {
    factorRows: rowsOf('factors', row),
    userId: row.user_id,
    now: row.created_at,
    replacedIds: `{${replacedIds.join()}}`,
    auditRows,
  })
}

interface FactorUpdate {
  userId: string
  factorId: string
  /** Null for no change, as is `phone`: a concurrent request may change the other one. */
  friendlyName: string | null
  phone: string | null
  now: Date
  auditRows: Rows<'audit_entries'>
}

type UpdateParameters = Omit<FactorUpdate, 'now'> & { now: string }

const update = statement<UpdateParameters>(
  'update_factor',
  (sql, $) => `
    with voided as (
      delete from ${sql.table('challenges')} c using ${sql.table('factors')} f
      where f.id = ${$.factorId} and f.user_id = ${$.userId} and c.factor_id = f.id
        and ${$.phone}::text is not null and f.phone is distinct from ${$.phone}
    ), f as (
      update ${sql.table('factors')} set updated_at = ${$.now},
        friendly_name = coalesce(${$.friendlyName}::text, friendly_name),
        phone = coalesce(${$.phone}::text, phone)
      where id = ${$.factorId} and user_id = ${$.userId} returning id
    ), a as (
      ${sql.insertRows('audit_entries', $.auditRows)} where exists (select from f)
    )
    select id from f`,
)

/**
 * Changes the name and the phone number of a factor. A new number deletes the challenges whose code
 * went to the old one.
 *
 * @returns whether the user has this factor.
 */
export async function updateFactor(
  sql: Queryable,
  { now, ...changes }: FactorUpdate,
): Promise<boolean> {
  const updated = await sql.query(update, { ...changes, now: now.toISOString() })
  return updated.length > 0
}

const deleteAbandoned = statement<{ expiredSince: string; limit: number }>(
  'sweep_factors',
  (sql, $) => `delete from ${sql.table('factors')} where id = any(array(
    select id from ${sql.table('factors')}
    where status = 'unverified' and created_at < ${$.expiredSince}
    limit ${$.limit} for update skip locked)) returning id`,
)

/**
 * Deletes factors that were begun before `expiredSince` and not verified, up to `limit` at a time.
 *
 * @returns the number of deleted factors.
 */
export async function sweepFactors(
  sql: Queryable,
  { expiredSince, limit }: Expired,
): Promise<number> {
  const deleted = await sql.query(deleteAbandoned, {
    expiredSince: expiredSince.toISOString(),
    limit,
  })
  return deleted.length
}

/**
 * Returns a statement that deletes the factors of users.
 *
 * @param users a common table expression, or a subquery in parentheses, with their ids as `id`.
 * @param condition on the rows `f`.
 */
export const deleteFactorsOf = (sql: TableFragments, users: string, condition = 'true'): string =>
  `delete from ${sql.table('factors')} f using ${users} owner
      where ${condition} and f.user_id = owner.id`
