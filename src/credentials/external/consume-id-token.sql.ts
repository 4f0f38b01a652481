import { sha256Hex } from '../../platform/kit/digest.ts'
import type { Precondition, PreconditionText, Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'

/** An id token that is accepted once. */
export interface SingleUseIdToken {
  tokenHash: string
  expiresAt: Date
}

/**
 * Returns the hash that is stored of an id token. The signature is not part of it, since a token
 * may have several valid ones.
 *
 * @param expiresAtSeconds the time after which the token is no longer accepted.
 */
export const singleUse = (idToken: string, expiresAtSeconds: number): SingleUseIdToken => ({
  tokenHash: sha256Hex(idToken.slice(0, idToken.lastIndexOf('.'))),
  expiresAt: new Date(expiresAtSeconds * 1000),
})

export interface SpentIdTokenRow {
  /** False where the token was already consumed. */
  allowed: boolean
}

type Parameters = { tokenHash: string | null; expiresAt: string | null }

const consumingText: PreconditionText<SpentIdTokenRow, Parameters> = (
  sql,
  $,
  condition = 'true',
) => `fresh as (
      insert into ${sql.table('spent_id_tokens')} (token_hash, expires_at)
      select ${$.tokenHash}::text, ${$.expiresAt}::timestamptz
      where ${$.tokenHash}::text is not null and ${condition}
      on conflict do nothing returning 1
    ), spent as (
      select ${condition} and (${$.tokenHash}::text is null or exists (select from fresh)) as allowed
    )`

/** Consumes an id token in the statement that finds its account. Null consumes nothing. */
export const consumeIdToken = (
  token: SingleUseIdToken | null,
): Precondition<SpentIdTokenRow, Parameters> => ({
  text: consumingText,
  values: {
    tokenHash: token?.tokenHash ?? null,
    expiresAt: token?.expiresAt.toISOString() ?? null,
  },
})

const consume = statement<{ spending: Parameters }, SpentIdTokenRow>(
  'spend_id_token',
  (sql, $) => `with ${consumingText(sql, $.spending)} select allowed from spent`,
)

/**
 * Consumes an id token without another statement.
 *
 * @returns false where it was already consumed.
 */
export async function consumeIdTokenAlone(
  sql: Queryable,
  token: SingleUseIdToken,
): Promise<boolean> {
  const [row] = await sql.query(consume, { spending: consumeIdToken(token).values })
  return row?.allowed === true
}
