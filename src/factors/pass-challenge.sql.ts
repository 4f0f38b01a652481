import type { Queryable } from '../sql/queryable.ts'
import { statement } from '../sql/statement.ts'
import type { Rows } from '../sql/tables.ts'
import { raiseSession } from './raise-session.sql.ts'

/** A challenge that was answered rightly, and what that earns. */
export interface PassedChallenge {
  userId: string
  sessionId: string
  factorId: string
  challengeId: string
  /** The time step of the code, which is used up with it; null for a code that was sent. */
  step: number | null
  /** The entry of `amr`: `{ method, timestamp }`. */
  proof: object
  now: Date
  /** Stored when the factor was verified for the first time. as `rowsOf` makes them. */
  messageRows: Rows<'outbox_messages'>
  auditRows: Rows<'audit_entries'>
}

type PassParameters = Omit<PassedChallenge, 'proof' | 'now'> & { proof: string; now: string }

const pass = statement<PassParameters, { session: unknown }>(
  'pass_challenge',
  (sql, $) => `
    with u as materialized (
      select id from ${sql.table('users')}
      where id = ${$.userId} and deleted_at is null for no key update
    ), live as materialized (
      select s.id from ${sql.table('sessions')} s join u on u.id = s.user_id
      where s.id = ${$.sessionId} and s.revoked_at is null for no key update of s
    ), before as materialized (
      select f.id, f.status from ${sql.table('factors')} f cross join live
      where f.id = ${$.factorId} and f.user_id = ${$.userId} for no key update of f
    ), c as (
      update ${sql.table('challenges')} c set spent_at = ${$.now} from before
      where c.id = ${$.challengeId} and c.factor_id = before.id and c.spent_at is null
      returning c.factor_id
    ), f as (
      update ${sql.table('factors')} f set status = 'verified',
        last_used_step = coalesce(${$.step}::int, f.last_used_step),
        updated_at = case when f.status = 'verified' then f.updated_at else ${$.now} end
      from c where f.id = c.factor_id and coalesce(${$.step}::int > f.last_used_step, true)
      returning f.id, f.factor_type
    ), ${raiseSession(sql, $)}, abandoned as (
      delete from ${sql.table('factors')} o using f
      where o.user_id = ${$.userId} and o.id <> f.id and o.factor_type = f.factor_type
        and o.status = 'unverified'
    ), m as (
      ${sql.insertRows('outbox_messages', $.messageRows)}
      where exists (select from f join before on before.status = 'unverified')
    ), a as (
      ${sql.insertRows('audit_entries', $.auditRows)} where exists (select from f)
    )
    select session from s`,
)

/**
 * Spends a challenge and its code and raises the session, in one statement: of many who come with the same
 * challenge or the same code of an app, one is let in. The user has to be locked by then, as by whoever
 * else changes several sessions: a statement that waited for another would see what was before that.
 *
 * Weaker sessions of the user end, and other factors of the type that were never verified go.
 *
 * @returns the session as it is now; null when it has ended, or challenge or code were spent meanwhile.
 */
export async function passChallenge<Session>(
  sql: Queryable,
  { proof, now, ...passed }: PassedChallenge,
): Promise<Session | null> {
  const [row] = await sql.query(pass, {
    ...passed,
    proof: JSON.stringify(proof),
    now: now.toISOString(),
  })
  return (row?.session ?? null) as Session | null
}
