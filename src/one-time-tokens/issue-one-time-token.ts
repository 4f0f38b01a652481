import { deriveKey, type RootKeys } from '../kit/derived-keys.ts'
import { hmacSha256Hex, sha256Hex } from '../kit/digest.ts'
import type { Random } from '../kit/random.ts'
import type { CodeChallenge } from './code-challenge.ts'
import type { OneTimeTokenPurpose } from './one-time-token.entity.ts'

/** The request that caused a token. Rule 2 of the design asks: was it the sign-up itself? */
export type TokenRequester = 'signup'

export interface OneTimeTokenOrder {
  userId: string
  purpose: OneTimeTokenPurpose
  requestedBy: TokenRequester
  sentTo: string
  lifetimeSeconds: number
  codeLength: number
  codeChallenge: CodeChallenge | null
}

export interface IssuedOneTimeToken {
  /** What the link carries. */
  secret: string
  /** What a person types. */
  code: string
  /** What is stored. */
  row: object
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
  const code = random.digits(order.codeLength)
  const key = deriveKey(roots.current, 'one-time-code', `${order.purpose}:${order.userId}`)
  return {
    secret,
    code,
    row: {
      id: random.uuid(),
      user_id: order.userId,
      purpose: order.purpose,
      requested_by: order.requestedBy,
      sent_to: order.sentTo,
      token_hash: sha256Hex(secret),
      code_hash: hmacSha256Hex(key, code),
      attempts: 0,
      code_challenge: order.codeChallenge?.value ?? null,
      code_challenge_method: order.codeChallenge?.method ?? null,
      expires_at: new Date(now.getTime() + order.lifetimeSeconds * 1000).toISOString(),
      created_at: now.toISOString(),
    },
  }
}
