import type { AuthContext } from '../../accounts/auth-context.ts'
import type { FlowMethod } from '../../accounts/one-time-tokens/authorization-code.entity.ts'
import type { CodeChallenge } from '../../accounts/one-time-tokens/code-challenge.ts'
import { linkExpired } from '../../accounts/one-time-tokens/one-time-token-errors.ts'
import { prepareCode, prepareSession } from '../../accounts/sign-in/complete-sign-in.ts'
import { finishInBrowser } from '../../accounts/sign-in/finish-in-browser.ts'
import { allowedRedirect } from '../../limits/redirects/allowed-redirect.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import type { Unvalidated } from '../http/endpoint.ts'
import { consumeMatchedToken } from './consume-matched-token.ts'
import { findMatchedToken } from './find-matched-token.ts'
import { type MatchedToken, provedAtOf } from './matched-token.ts'
import type { FollowLinkInput, ProofType } from './verify.endpoint.ts'

/**
 * Follows a mailed link: proves the address, and returns the redirect target with the result, which
 * is a session, a code for one, or an error.
 *
 * @throws AuthError `validation_failed` (400) for a link without type or token.
 */
export async function followLink(
  ctx: AuthContext,
  input: Unvalidated<FollowLinkInput> & { browser?: string | null },
): Promise<string> {
  const { type, token: secret } = requireLink(input)
  const target = allowedRedirect(ctx, input.redirect ?? {})
  const isPkce = secret.startsWith('pkce_')
  return finishInBrowser({ request: ctx.request, target, readsQuery: isPkce }, async () => {
    const link = { secret, browser: input.browser ?? null }
    const matched = await findMatchedToken(ctx, { type, input: link, password: null })
    const proved = { userId: matched.stored.user.id, provedAt: provedAtOf(matched) }
    const signIn = isPkce
      ? prepareCode(ctx, { ...proved, ...codeOrder(matched) })
      : prepareSession(ctx, { ...proved, method: 'otp' })
    const consumed = await consumeMatchedToken(ctx, matched, signIn.rows)
    if (!consumed) throw linkExpired()
    if (!consumed.isComplete) return 'half-confirmed'
    return { ...(await signIn.complete(consumed.user)), facts: { type: matched.type } }
  })
}

/** @throws AuthError `validation_failed` (400) for a link without type or token. */
export function requireLink({
  type,
  token,
}: Pick<Unvalidated<FollowLinkInput>, 'type' | 'token'>): {
  type: string
  token: string
} {
  if (!type) throw validationFailed('type: Verify requires a verification type')
  if (!token) throw validationFailed('token: Verify requires a token or a token hash')
  return { type, token }
}

function codeOrder({ type, token }: MatchedToken): {
  codeChallenge: CodeChallenge
  method: FlowMethod
} {
  const { code_challenge: value, code_challenge_method: method } = token
  if (value === null || method === null) throw linkExpired()
  return { codeChallenge: { value, method }, method: flowMethods[type] }
}

const flowMethods: Record<ProofType, FlowMethod> = {
  signup: 'email/signup',
  invite: 'invite',
  magiclink: 'magiclink',
  recovery: 'recovery',
  email_change: 'email_change',
  // Phones receive no links.
  sms: 'magiclink',
  phone_change: 'magiclink',
  credential: 'magiclink',
}
