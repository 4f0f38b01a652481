import { maxTargetLength } from '../../limits/redirects/explain-redirect.ts'
import { sha256 } from '../../platform/kit/digest.ts'
import { type PageRequest, urlOf } from './page-request.ts'
import type { StartedFlow } from './pre-session.ts'

const maxFlows = 5

/**
 * Starts a flow that returns to the pages with a code. Returns the parameters of the request that
 * begins it. The page after the flow has the redirect target of this one, unless its own URL would
 * be too long for a target: the flow would not return to the pages.
 *
 * @see RFC 7636 §4
 */
export function startFlow(
  page: PageRequest,
  kind: StartedFlow['kind'],
): { redirectTo: string; codeChallenge: string; codeChallengeMethod: 's256' } {
  const { host, pre, redirectTo: target } = page
  const { random } = host.deps
  const flow = { id: random.hex(6), verifier: random.hex(32), kind }
  pre.flows = [...(pre.flows ?? []), flow].slice(-maxFlows)
  const urlWith = (parameters: { redirect_to?: string }) =>
    urlOf(page, `/sign-in/complete?${new URLSearchParams({ flow: flow.id, ...parameters })}`)
  const url = urlWith(target === undefined ? {} : { redirect_to: target })
  return {
    redirectTo: url.length > maxTargetLength ? urlWith({}) : url,
    codeChallenge: sha256(flow.verifier).toString('base64url'),
    codeChallengeMethod: 's256',
  }
}
