import { memoize } from '../../platform/kit/memoize.ts'
import type { Precondition, PreconditionText, Queryable } from '../../platform/sql/queryable.ts'
import { type ParameterValues, statement } from '../../platform/sql/statement.ts'
import { type NewRow, type Rows, rowsOf } from '../../platform/sql/tables.ts'
import type { RecoveryCodesStatus } from '../users/user.ts'

const count = statement<{ factorId: string }, Omit<RecoveryCodesStatus, 'id'>>(
  'count_recovery_codes',
  (sql, $) => `
    select count(*)::int as total, (count(*) filter (where spent_at is null))::int as remaining
    from ${sql.table('recovery_codes')} where factor_id = ${$.factorId}`,
)

/** Counts the codes of a set. */
export async function countRecoveryCodes(
  sql: Queryable,
  factorId: string,
): Promise<RecoveryCodesStatus> {
  const [counted] = await sql.query(count, { factorId })
  return { id: factorId, total: 0, remaining: 0, ...counted }
}

/** The rows that are stored with a set of codes. */
export interface NewRecoveryCodes {
  codeRows: Rows<'recovery_codes'>
  messageRows: Rows<'outbox_messages'>
  auditRows: Rows<'audit_entries'>
}

type InsertParameters = NewRecoveryCodes & {
  factorRows: Rows<'factors'>
  userId: string
  now: string
}

const insert = statement<InsertParameters>(
  'insert_recovery_codes',
  (sql, $) => `
    with u as (
      update ${sql.table('users')}
        set updated_at = ${$.now}, version = version + 1 where id = ${$.userId}
    ), f as (
      ${sql.insertRows('factors', $.factorRows)}
    ), m as (
      ${sql.insertRows('outbox_messages', $.messageRows)}
    ), a as (
      ${sql.insertRows('audit_entries', $.auditRows)}
    )
    ${sql.insertRows('recovery_codes', $.codeRows)}`,
)

/**
 * Stores the first set of recovery codes of a user, which is one factor. The version of the user
 * increases, as with any new factor.
 */
export async function insertRecoveryCodes(
  sql: Queryable,
  factor: NewRow<'factors'>,
  codes: NewRecoveryCodes,
): Promise<void> {
  await sql.query(insert, {
    ...codes,
    factorRows: rowsOf('factors', factor),
    userId: factor.user_id,
    now: factor.created_at,
  })
}

type TryParameters = { guessing: ParameterValues; factorId: string | null }

/** A set of recovery codes; without hashes where no guess is left. */
interface RecoveryCodeSet {
  /** The key of the set, sealed; null for a set from before sets had keys. */
  secret: string | null
  /** The hashes of the unused codes. */
  unspent: string[]
}

const tryAfter = memoize(<Spent>(guessing: PreconditionText<Spent>) =>
  statement<TryParameters, Spent & RecoveryCodeSet>(
    'try_recovery_code',
    (sql, $) => `
      with ${guessing(sql, $.guessing)}
      select spent.*,
        (select secret from ${sql.table('factors')} where id = ${$.factorId}) as secret,
        to_json(array(
          select code_hash from ${sql.table('recovery_codes')}
          where spent.allowed and factor_id = ${$.factorId} and spent_at is null
        )) as unspent
      from spent`,
  ),
)

/**
 * Counts a guess at a user's recovery codes, and returns the set to compare it with. Where no guess
 * is left, and without a set, there are no codes to compare. It consumes no code: see
 * `pass-recovery-code.sql.ts`.
 */
export async function tryRecoveryCode<Spent>(
  sql: Queryable,
  guessing: Precondition<Spent>,
  { factorId }: { factorId: string | null },
): Promise<Spent & RecoveryCodeSet> {
  const [row] = await sql.query(tryAfter(guessing.text), {
    guessing: guessing.values,
    factorId,
  })
  if (!row) throw new Error('a guess was not counted')
  return row
}
