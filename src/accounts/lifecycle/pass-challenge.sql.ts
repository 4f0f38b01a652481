import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import type { Rows } from '../../platform/sql/tables.ts'
import type { ResealedSecret } from '../factors/factor-secret.ts'
import type { ExportedFactorRow } from '../factors/personal-factors.ts'
import { liveSession, raiseSession } from '../sessions/session-assurance.sql.ts'
import { endParts } from './end-parts.sql.ts'

/** The columns of a security key. */
const credentialColumns = [
  'credential_id',
  'public_key',
  'sign_count',
  'transports',
  'attestation_format',
  'web_authn_aaguid',
  'backup_eligible',
  'backed_up',
] as const

/** The columns that a proof may change. */
const columns = ['last_used_step', ...credentialColumns].join(', ')

/**
 * The change of a factor by a proof: the time step of a code, a credential, or the new signature
 * count.
 */
export type FactorChange =
  | Pick<ExportedFactorRow, 'last_used_step'>
  | Pick<ExportedFactorRow, (typeof credentialColumns)[number]>
  | Pick<ExportedFactorRow, 'sign_count' | 'backed_up'>

/** A passed challenge and its effects. */
interface PassedChallenge {
  userId: string
  sessionId: string
  /** The factor that was used. */
  factorId: string
  /** The factor of the challenge: with several security keys, each may be used for the others. */
  challengedFactorId: string
  challengeId: string
  change: FactorChange | null
  /** The secret of the factor, where a former root key sealed it. */
  resealed?: ResealedSecret | null
  /**
   * Stored at the first proof of the factor: the time at which it is added without a recent proof,
   * else null.
   */
  addedWithoutProofAt: Date | null
  /** The entry of `amr`: `{ method, timestamp }`. */
  proof: object
  now: Date
  /** Stored at the first proof of the factor, as rows from `rowsOf`. */
  messageRows: Rows<'outbox_messages'>
  auditRows: Rows<'audit_entries'>
}

type PassParameters = Omit<
  PassedChallenge,
  'proof' | 'change' | 'resealed' | 'addedWithoutProofAt' | 'now'
> & {
  openedSecret: string | null
  resealedSecret: string | null
  addedWithoutProofAt: string | null
  proof: string
  change: string
  now: string
}

/** Returns a condition: a security key has increased its signature count, or does not count. */
const isCountedUp = (row: string, count: string): string =>
  `(${count} > ${row}.sign_count or (${count} = 0 and ${row}.sign_count = 0))`

/** A condition: the used factor was not verified before. */
const isFirstProof = `exists (select from f join before on before.status = 'unverified')`

const pass = statement<PassParameters, { session: unknown; is_enrolled: boolean }>(
  'pass_challenge',
  (sql, $) => `
    with ${liveSession(sql, $)}, before as materialized (
      select f.id, f.status from ${sql.table('factors')} f cross join live
      where f.id = ${$.factorId} and f.user_id = ${$.userId} for no key update of f
    ), c as (
      update ${sql.table('challenges')} c set spent_at = ${$.now} from before
      where c.id = ${$.challengeId} and c.factor_id = ${$.challengedFactorId} and c.spent_at is null
      returning before.id as factor_id
    ), enrolled as (
      select from ${sql.table('factors')} where credential_id = ${$.change}::jsonb ->> 'credential_id'
      union all
      select from ${sql.table('passkeys')} where credential_id = ${$.change}::jsonb ->> 'credential_id'
    ), f as (
      update ${sql.table('factors')} f set status = 'verified',
        (${columns}) = (select ${columns} from jsonb_populate_record(f, ${$.change}::jsonb)),
        secret = case when f.secret = ${$.openedSecret} then ${$.resealedSecret} else f.secret end,
        added_without_proof_at = case when f.status = 'verified' then f.added_without_proof_at
          else ${$.addedWithoutProofAt} end,
        updated_at = case when f.status = 'verified' then f.updated_at else ${$.now} end
      from c where f.id = c.factor_id and not exists (select from enrolled)
        and coalesce((${$.change}::jsonb ->> 'last_used_step')::int > f.last_used_step, true)
        and (f.credential_id is null or (${$.change}::jsonb ->> 'credential_id' is null
          and ${isCountedUp('f', `(${$.change}::jsonb ->> 'sign_count')::bigint`)}))
      returning f.id, f.factor_type
    ), ${raiseSession(sql, $)}, ${endParts(
      sql,
      'u',
      {
        factorProved: 'exists (select from f)',
        factorVerified: isFirstProof,
        firstFactorVerified: `${isFirstProof} and not exists (
          select from ${sql.table('factors')} o
          where o.user_id = ${$.userId} and o.status = 'verified')`,
      },
      { sessionId: $.sessionId },
    )}, abandoned as (
      delete from ${sql.table('factors')} o using f
      where o.user_id = ${$.userId} and o.id <> f.id and o.factor_type = f.factor_type
        and o.status = 'unverified'
    ), m as (
      ${sql.insertRows('outbox_messages', $.messageRows)}
      where ${isFirstProof}
    ), a as (
      ${sql.insertRows('audit_entries', $.auditRows)} where exists (select from f)
    )
    select (select session from s) as session, exists (select from enrolled) as is_enrolled`,
)

/**
 * Consumes a challenge and its code and raises the session, in one statement. Only one of several
 * requests with the same challenge, the same code of an app or the same count of a security key
 * succeeds. The caller has locked the user, as for every change of several sessions: a statement
 * that waited for another one would see the rows from before it.
 *
 * `endings.ts` lists the parts that end, also at the first proof of a factor. Unverified factors of
 * the same type are deleted.
 *
 * @returns the session after the change; null when it has ended, or challenge, code or count were
 *   consumed meanwhile. `isEnrolled` is true where any user has enrolled the same credential as a
 *   factor or passkey: then nothing was stored.
 */
export async function passChallenge<Session>(
  sql: Queryable,
  { proof, change, resealed, addedWithoutProofAt, now, ...passed }: PassedChallenge,
): Promise<{ session: Session | null; isEnrolled: boolean }> {
  const [row] = await sql.query(pass, {
    ...passed,
    proof: JSON.stringify(proof),
    change: JSON.stringify(change ?? {}),
    openedSecret: resealed?.from ?? null,
    resealedSecret: resealed?.to ?? null,
    addedWithoutProofAt: addedWithoutProofAt?.toISOString() ?? null,
    now: now.toISOString(),
  })
  return {
    session: (row?.session ?? null) as Session | null,
    isEnrolled: row?.is_enrolled ?? false,
  }
}
