import type { RootKeys } from '../../platform/kit/derived-keys.ts'
import { sha256Hex } from '../../platform/kit/digest.ts'
import type { Random } from '../../platform/kit/random.ts'
import type { CodeChallenge } from './code-challenge.ts'
import type { OneTimeTokenPurpose, TokenRequester } from './one-time-token.entity.ts'
import { hashCode, type OneTimeTokenRow } from './one-time-token-row.ts'

export interface OneTimeTokenOrder {
  userId: string
  purpose: OneTimeTokenPurpose
  requestedBy: TokenRequester
  /** Who asked: see `OneTimeTokenRow.requested_from`. */
  requestedFrom: string | null
  audience: string
  sentTo: string
  lifetimeSeconds: number
  codeLength: number
  /** A code that is fixed, as those of test numbers are. */
  code?: string | undefined
  codeChallenge: CodeChallenge | null
  /** The suspended passkey or identity to confirm. Default: none. */
  credentialId?: string | null
}

export interface IssuedOneTimeToken {
  /** What the link carries. */
  secret: string
  /** What a person types. */
  code: string
  /** What is stored. */
  row: OneTimeTokenRow
}

interface Needs {
  random: Random
  roots: RootKeys
}

const secretBytes = 28

/** Makes a token's link and code. They are independent: to know one tells nothing of the other. */
export function issueOneTimeToken(
  { random, roots }: Needs,
  order: OneTimeTokenOrder,
  now: Date,
): IssuedOneTimeToken {
  const secret = (order.codeChallenge ? 'pkce_' : '') + random.hex(secretBytes)
  const code = order.code ?? random.digits(order.codeLength)
  return {
    secret,
    code,
    row: {
      id: random.uuid(),
      user_id: order.userId,
      purpose: order.purpose,
      requested_by: order.requestedBy,
      requested_from: order.requestedFrom,
      audience: order.audience,
      sent_to: order.sentTo,
      credential_id: order.credentialId ?? null,
      token_hash: sha256Hex(secret),
      code_hash: hashCode(roots.current, order, code),
      code_challenge: order.codeChallenge?.value ?? null,
      code_challenge_method: order.codeChallenge?.method ?? null,
      expires_at: new Date(now.getTime() + order.lifetimeSeconds * 1000).toISOString(),
      created_at: now.toISOString(),
    },
  }
}
