import type { AuthContext } from '../../deps.ts'
import { AuthError } from '../../errors/auth-error.ts'
import { validationFailed } from '../../errors/request-errors.ts'
import type { Unread } from '../../http/endpoint.ts'
import { jsonRows } from '../../kit/queryable.ts'
import {
  type FlowMethod,
  issueAuthorizationCode,
} from '../../one-time-tokens/authorization-code.ts'
import { linkExpired } from '../../one-time-tokens/one-time-token-errors.ts'
import { allowedRedirect } from '../../redirects/allowed-redirect.ts'
import { newSession, newSessionRow } from '../../sessions/session.ts'
import { issueSession } from '../../steps/issue-session.ts'
import type { Account } from '../../users/account.ts'
import { findProof } from './find-proof.ts'
import type { Proof } from './proof.ts'
import type { ProofType } from './proof-type.ts'
import { withCode, withError, withHalfway, withSession } from './result-redirect.ts'
import { type Reward, spendProof } from './spend-proof.ts'
import type { FollowLinkInput } from './verify.endpoint.ts'

/** How long the code lives that a link of a PKCE request ends in. */
const codeLifetimeSeconds = 300

/**
 * Follows a mailed link: proves the address and says where the browser goes with what came of it, a
 * session, a code for one, or an error.
 *
 * @throws AuthError `validation_failed` (400) for a link without type or token.
 */
export async function followLink(
  ctx: AuthContext,
  input: Unread<FollowLinkInput>,
): Promise<string> {
  const { type, token: secret } = requireLink(input)
  const target = allowedRedirect(ctx, input.redirect ?? {})
  const isPkce = secret.startsWith('pkce_')
  try {
    const proof = await findProof(ctx, type, { secret })
    const result = isPkce
      ? await endInCode(ctx, proof, target)
      : await endInSession(ctx, proof, target)
    return result ?? withHalfway(target, isPkce)
  } catch (error) {
    if (!(error instanceof AuthError) || error.status >= 500) throw error
    return withError(target, error, isPkce)
  }
}

/** @throws AuthError `validation_failed` (400) for a link without type or token. */
export function requireLink({ type, token }: Pick<Unread<FollowLinkInput>, 'type' | 'token'>): {
  type: string
  token: string
} {
  if (!type) throw validationFailed('type: Verify requires a verification type')
  if (!token) throw validationFailed('token: Verify requires a token or a token hash')
  return { type, token }
}

/** Null while the other address has yet to confirm. */
async function endInSession(
  ctx: AuthContext,
  proof: Proof,
  target: string,
): Promise<string | null> {
  const session = newSession(ctx.random.uuid(), 'otp', ctx.clock.now())
  const { id } = proof.stored.account
  const spent = await spend(ctx, proof, {
    sessionRows: jsonRows(newSessionRow(session, id, ctx.request)),
  })
  if (!spent) return null
  const signedIn = await issueSession(ctx, spent, session, 0)
  return withSession(target, signedIn.session, proof.type)
}

async function endInCode(ctx: AuthContext, proof: Proof, target: string): Promise<string | null> {
  const { code_challenge: value, code_challenge_method: method } = proof.token
  if (value === null || method === null) throw linkExpired()
  const { code, row } = issueAuthorizationCode(
    ctx,
    {
      userId: proof.stored.account.id,
      codeChallenge: { value, method },
      method: flowMethods[proof.type],
      lifetimeSeconds: codeLifetimeSeconds,
    },
    ctx.clock.now(),
  )
  const spent = await spend(ctx, proof, { codeRows: jsonRows(row) })
  return spent && withCode(target, code)
}

const flowMethods: Record<ProofType, FlowMethod> = {
  signup: 'email/signup',
  invite: 'invite',
  magiclink: 'magiclink',
  recovery: 'recovery',
  email_change: 'email_change',
  // Phones get no links.
  sms: 'magiclink',
  phone_change: 'magiclink',
}

/** The account as it is now; null while the other address has yet to confirm. */
async function spend(ctx: AuthContext, proof: Proof, reward: Reward): Promise<Account | null> {
  const spent = await spendProof(ctx, proof, reward)
  if (!spent) throw linkExpired()
  return spent.isComplete ? spent.account : null
}
