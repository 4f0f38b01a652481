import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import type { Rows } from '../../platform/sql/tables.ts'
import type { ResealedSecret } from '../factors/factor-secret.ts'
import { liveSession, raiseSession } from '../sessions/session-assurance.sql.ts'
import { endParts } from './end-parts.sql.ts'

/** An accepted recovery code and its effects. */
interface PassedRecoveryCode {
  userId: string
  sessionId: string
  factorId: string
  /** The hashes under which its row may be stored. */
  hashes: readonly string[]
  /** The key of the set, where a former root key sealed it. */
  resealed: ResealedSecret | null
  /** The entry of `amr`: `{ method, timestamp }`. */
  proof: object
  now: Date
  messageRows: Rows<'outbox_messages'>
  auditRows: Rows<'audit_entries'>
}

type PassCodeParameters = Omit<PassedRecoveryCode, 'hashes' | 'resealed' | 'proof' | 'now'> & {
  openedSecret: string | null
  resealedSecret: string | null
  hashes: string
  proof: string
  now: string
}

const passCode = statement<PassCodeParameters, { session: unknown }>(
  'pass_recovery_code',
  (sql, $) => `
    with ${liveSession(sql, $)}, f as (
      update ${sql.table('recovery_codes')} c set spent_at = ${$.now}
      from ${sql.table('factors')} f cross join live
      where f.id = ${$.factorId} and f.user_id = ${$.userId} and f.factor_type = 'recovery_code'
        and c.factor_id = f.id and c.code_hash = any(${$.hashes}::text[]) and c.spent_at is null
      returning f.id
    ), resealed as (
      update ${sql.table('factors')} r set secret = ${$.resealedSecret}
      from f where r.id = f.id and r.secret = ${$.openedSecret}
    ), ${raiseSession(sql, $)}, ${endParts(
      sql,
      'u',
      { factorProved: 'exists (select from f)' },
      { sessionId: $.sessionId },
    )}, m as (
      ${sql.insertRows('outbox_messages', $.messageRows)} where exists (select from f)
    ), a as (
      ${sql.insertRows('audit_entries', $.auditRows)} where exists (select from f)
    )
    select session from s`,
)

/**
 * Consumes a recovery code and raises the session, in one statement. Only one of several requests
 * with the same code succeeds. The caller has locked the user, as for every change of several
 * sessions. Weaker sessions of the user end.
 *
 * @returns the session after the change; null when it has ended, or the code was consumed or
 *   replaced meanwhile.
 */
export async function passRecoveryCode<Session>(
  sql: Queryable,
  { hashes, resealed, proof, now, ...passed }: PassedRecoveryCode,
): Promise<Session | null> {
  const [row] = await sql.query(passCode, {
    ...passed,
    hashes: `{${hashes.join()}}`,
    openedSecret: resealed?.from ?? null,
    resealedSecret: resealed?.to ?? null,
    proof: JSON.stringify(proof),
    now: now.toISOString(),
  })
  return (row?.session ?? null) as Session | null
}
