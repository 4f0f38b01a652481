import { createHash, timingSafeEqual } from 'node:crypto'
import type { ExternalTokens } from '../../platform/config/sections/provider-definition.ts'
import type { RootKeys } from '../../platform/kit/derived-keys.ts'
import { sha256Hex } from '../../platform/kit/digest.ts'
import type { Random } from '../../platform/kit/random.ts'
import { seal, unseal } from '../../platform/kit/sealed-box.ts'
import type { RowOf } from '../../platform/sql/row-of.ts'
import type {
  AuthorizationCode as AuthorizationCodeEntity,
  FlowMethod,
} from './authorization-code.entity.ts'
import type { CodeChallenge } from './code-challenge.ts'

/** A code as PostgreSQL writes it in JSON. */
export type AuthorizationCodeRow = RowOf<AuthorizationCodeEntity>

export interface AuthorizationCodeOrder {
  userId: string
  codeChallenge: CodeChallenge
  method: FlowMethod
  /** The time of the proof. Default: that of the exchange. */
  provedAt?: Date | null
  lifetimeSeconds: number
  /** The provider's tokens that are returned with the session. They are stored encrypted. */
  providerTokens?: ExternalTokens | null
}

/** Creates the code at the end of a PKCE flow. Only its hash is stored. */
export function issueAuthorizationCode(
  { random, roots }: { random: Random; roots: RootKeys },
  {
    userId,
    codeChallenge,
    method,
    provedAt,
    lifetimeSeconds,
    providerTokens,
  }: AuthorizationCodeOrder,
  now: Date,
): { code: string; row: AuthorizationCodeRow } {
  const code = random.uuid()
  const row: AuthorizationCodeRow = {
    id: random.uuid(),
    user_id: userId,
    code_hash: sha256Hex(code),
    code_challenge: codeChallenge.value,
    code_challenge_method: codeChallenge.method,
    method,
    proved_at: provedAt?.toISOString() ?? null,
    sealed_tokens: providerTokens ? sealTokens(roots, code, providerTokens) : null,
    expires_at: new Date(now.getTime() + lifetimeSeconds * 1000).toISOString(),
    created_at: now.toISOString(),
  }
  return { code, row }
}

/** Returns whether a verifier matches the code challenge. @see RFC 7636 §4.6 */
export function verifyCodeVerifier(row: AuthorizationCodeRow, verifier: string): boolean {
  const given =
    row.code_challenge_method === 's256'
      ? createHash('sha256').update(verifier).digest('base64url')
      : verifier
  const [a, b] = [sha256Hex(given), sha256Hex(row.code_challenge)].map((hex) => Buffer.from(hex))
  return a !== undefined && b !== undefined && timingSafeEqual(a, b)
}

/**
 * Returns the context of the seal. It contains the code, which is not stored, so that the row alone
 * reveals no token.
 */
const sealContext = (code: string): string => `authorization-code:${code}`

const sealTokens = (roots: RootKeys, code: string, tokens: ExternalTokens): string =>
  seal(roots, sealContext(code), JSON.stringify(tokens))

/** Opens the tokens of a provider that are returned with the session. */
export const openTokens = (
  roots: RootKeys,
  code: string,
  { sealed_tokens }: Pick<AuthorizationCodeRow, 'sealed_tokens'>,
): ExternalTokens | null =>
  sealed_tokens === null ? null : JSON.parse(unseal(roots, sealContext(code), sealed_tokens))
