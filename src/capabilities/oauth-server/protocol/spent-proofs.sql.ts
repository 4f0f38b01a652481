import { sha256Hex } from '../../../platform/kit/digest.ts'
import type { Queryable } from '../../../platform/sql/queryable.ts'
import { statement } from '../../../platform/sql/statement.ts'

const consume = statement<{ proofHash: string; expiresAt: string }, { proof_hash: string }>(
  'consume_oauth_proof',
  (sql, $) => `
    insert into ${sql.table('oauth_spent_proofs')} (proof_hash, expires_at)
    values (${$.proofHash}, ${$.expiresAt}) on conflict (proof_hash) do nothing returning proof_hash`,
)

/**
 * Consumes a signed proof of a client.
 *
 * @param parts the parts that identify it.
 * @returns whether it is used for the first time.
 */
export async function consumeProof(
  sql: Queryable,
  parts: readonly string[],
  expiresAt: Date,
): Promise<boolean> {
  const spent = await sql.query(consume, {
    proofHash: sha256Hex(JSON.stringify(parts)),
    expiresAt: expiresAt.toISOString(),
  })
  return spent.length > 0
}
