import { memoize } from '../../platform/kit/memoize.ts'
import { deleteSurplusRows } from '../../platform/sql/delete-surplus-rows.sql.ts'
import type { Precondition, PreconditionText, Queryable } from '../../platform/sql/queryable.ts'
import { type ParameterValues, statement } from '../../platform/sql/statement.ts'
import { type NewRow, type Rows, rowsOf } from '../../platform/sql/tables.ts'

/** The maximum number of stored challenges per factor. A further one replaces the oldest. */
export const maxChallenges = 100

const storeAfter = memoize(<Spent>(condition: PreconditionText<Spent>) =>
  statement<StoreParameters, Spent & StoredChallenge>(
    'store_challenge',
    (sql, $) => `
      with ${condition(sql, $.condition)}, u as materialized (
        select id from ${sql.table('users')} where id = ${$.userId} for key share
      ), f as (
        update ${sql.table('factors')} f set last_challenged_at = ${$.now} from u
        where f.id = ${$.factorId} and f.user_id = u.id and (select allowed from spent) returning f.id
      ), surplus as (
        ${deleteSurplusRows(sql, 'challenges', { owner: 'factor_id = (select id from f)', most: maxChallenges })}
      ), c as (
        ${sql.insertRows('challenges', $.challengeRows)} where exists (select from f)
      ), m as (
        ${sql.insertRows('outbox_messages', $.messageRows)} where exists (select from f)
      ), a as (
        ${sql.insertRows('audit_entries', $.auditRows)} where exists (select from f)
      )
      select spent.*, exists (select from f) as found, coalesce((
        select jsonb_agg(jsonb_build_object('id', k.credential_id, 'transports', k.transports) order by k.created_at)
        from ${sql.table('factors')} k where k.user_id = ${$.userId} and k.status = 'verified'
          and k.credential_id is not null), '[]') as credentials
      from spent`,
  ),
)

type StoreParameters = {
  condition: ParameterValues
  factorId: string
  userId: string
  now: string
  challengeRows: Rows<'challenges'>
  messageRows: Rows<'outbox_messages'>
  auditRows: Rows<'audit_entries'>
}

/** The factors of a user when a challenge was stored. */
export interface StoredChallenge {
  /** Whether the factor still exists. */
  found: boolean
  /** The credentials of all verified security keys of the user. */
  credentials: { id: string; transports: string[] }[]
}

/**
 * Stores a challenge with the message that sends its code to a phone, in one statement. The user is
 * locked first, as by every change and erasure of a user, so that neither waits for the other.
 *
 * @returns the row of `spent`, and the factors.
 */
export async function storeChallenge<Spent>(
  sql: Queryable,
  condition: Precondition<Spent>,
  row: NewRow<'challenges'>,
  {
    userId,
    messageRows,
    auditRows,
  }: { userId: string; messageRows: Rows<'outbox_messages'>; auditRows: Rows<'audit_entries'> },
): Promise<Spent & StoredChallenge> {
  const [spent] = await sql.query(storeAfter(condition.text), {
    condition: condition.values,
    factorId: row.factor_id,
    userId,
    now: row.created_at,
    challengeRows: rowsOf('challenges', row),
    messageRows,
    auditRows,
  })
  if (!spent) throw new Error('a challenge was not stored')
  return spent
}
