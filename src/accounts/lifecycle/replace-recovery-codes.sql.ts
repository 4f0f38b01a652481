import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import type { NewRecoveryCodes } from '../factors/recovery-codes.sql.ts'
import {
  amrWithout,
  restsOnSubstitute,
  substituteArray,
} from '../sessions/session-assurance.sql.ts'
import { endParts } from './end-parts.sql.ts'

/** A new set of recovery codes in place of another one. */
interface RecoveryCodesReplacement extends NewRecoveryCodes {
  factorId: string
  /** The key of the set, sealed. */
  sealedKey: string
  guessKeys: readonly string[]
  /** The time at which they are stored without a recent proof; null with one. */
  addedWithoutProofAt: Date | null
  /** The methods in `amr` of all factors: the proof of a code is the last one of its session. */
  factorMethods: readonly string[]
  /** The session of the request, which keeps its assurance. */
  sessionId: string
  now: Date
}

type ReplaceParameters = Omit<
  RecoveryCodesReplacement,
  'guessKeys' | 'factorMethods' | 'addedWithoutProofAt' | 'now'
> & { guessKeys: string; factorMethods: string; addedWithoutProofAt: string | null; now: string }

const replace = statement<ReplaceParameters>(
  'replace_recovery_codes',
  (sql, $) => `
    with f as (
      update ${sql.table('factors')} set updated_at = ${$.now},
        added_without_proof_at = ${$.addedWithoutProofAt}, secret = ${$.sealedKey} where id = ${$.factorId}
      returning user_id as id
    ), deleted as (
      delete from ${sql.table('recovery_codes')} where factor_id = ${$.factorId}
    ), ${endParts(sql, 'f', { recoveryCodesReplaced: 'true' })}, lowered as (
      update ${sql.table('sessions')} s set aal = 'aal1', factor_id = null,
        amr = ${amrWithout(`all (${$.factorMethods}::text[] || ${substituteArray})`)}
      from f where s.user_id = f.id and s.id <> ${$.sessionId}
        and (s.factor_id = ${$.factorId} or ${restsOnSubstitute('s')})
    ), guesses as (
      delete from ${sql.table('rate_limit_buckets')} where key = any(${$.guessKeys}::text[])
    ), m as (
      ${sql.insertRows('outbox_messages', $.messageRows)}
    ), a as (
      ${sql.insertRows('audit_entries', $.auditRows)}
    )
    ${sql.insertRows('recovery_codes', $.codeRows)}`,
)

/**
 * Replaces a set of recovery codes. A code of the earlier set may be in the wrong hands: other
 * sessions lose the assurance that it gave them, the devices that they trust are no longer trusted,
 * and changes of address that wait are revoked. Guesses at the earlier set are no longer counted.
 * The caller has locked the user: a concurrent request with an old code waits, and then does not
 * find it.
 */
export async function replaceRecoveryCodes(
  sql: Queryable,
  { guessKeys, factorMethods, addedWithoutProofAt, now, ...replacement }: RecoveryCodesReplacement,
): Promise<void> {
  await sql.query(replace, {
    ...replacement,
    guessKeys: `{${guessKeys.join()}}`,
    factorMethods: `{${factorMethods.join()}}`,
    addedWithoutProofAt: addedWithoutProofAt?.toISOString() ?? null,
    now: now.toISOString(),
  })
}
