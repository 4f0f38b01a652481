import type { RootKeys } from '../../platform/kit/derived-keys.ts'
import type { Random } from '../../platform/kit/random.ts'
import type { CodeChallenge } from './code-challenge.ts'
import type { OneTimeTokenPurpose, TokenRequester } from './one-time-token.entity.ts'
import { hashCode, hashSecret, type OneTimeTokenRow, tokenIdOf } from './one-time-token-row.ts'

export interface OneTimeTokenOrder {
  userId: string
  purpose: OneTimeTokenPurpose
  requestedBy: TokenRequester
  /** The requester: see `OneTimeTokenRow.requested_from`. */
  requestedFrom: string | null
  audience: string
  sentTo: string
  lifetimeSeconds: number
  codeLength: number
  /** A fixed code, as for test numbers. */
  code?: string | undefined
  codeChallenge: CodeChallenge | null
  /** The suspended passkey or identity to confirm. Default: none. */
  credentialId?: string | null
}

export interface IssuedOneTimeToken {
  /** The secret in the link. */
  secret: string
  /** The code that the user enters. */
  code: string
  /** The row to store. */
  row: OneTimeTokenRow
}

interface Needs {
  random: Random
  roots: RootKeys
}

const secretBytes = 28

/** Creates a token's link and code. They are independent: neither reveals the other. */
export function issueOneTimeToken(
  { random, roots }: Needs,
  order: OneTimeTokenOrder,
  now: Date,
): IssuedOneTimeToken {
  const secret = (order.codeChallenge ? 'pkce_' : '') + random.hex(secretBytes)
  const tokenHash = hashSecret(secret)
  const code = order.code ?? random.digits(order.codeLength)
  return {
    secret,
    code,
    row: {
      id: tokenIdOf(tokenHash),
      user_id: order.userId,
      purpose: order.purpose,
      requested_by: order.requestedBy,
      requested_from: order.requestedFrom,
      audience: order.audience,
      sent_to: order.sentTo,
      credential_id: order.credentialId ?? null,
      token_hash: tokenHash,
      code_hash: hashCode(roots.current, order, code),
      code_challenge: order.codeChallenge?.value ?? null,
      code_challenge_method: order.codeChallenge?.method ?? null,
      expires_at: new Date(now.getTime() + order.lifetimeSeconds * 1000).toISOString(),
      created_at: now.toISOString(),
    },
  }
}
