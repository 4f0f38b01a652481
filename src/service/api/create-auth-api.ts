import type { Deps } from '../../accounts/auth-context.ts'
import { authenticateCaller } from '../../accounts/callers/authenticate-caller.ts'
import type { AuthorizationRedirect } from '../../capabilities/oauth-server/authorize/authorization-details.ts'
import { getOwnProviderToken } from '../../endpoints/provider-tokens/get-provider-token.ts'
import { explainRedirect } from '../../limits/redirects/explain-redirect.ts'
import { checkInput } from '../../platform/http/check-input.ts'
import { fields, type Read, Text } from '../../platform/http/inputs.ts'
import type { AuthApi } from './auth-api.ts'
import { type CallOptions, openCallForUser } from './call-options.ts'
import { derivedMethods } from './derived-methods.ts'
import { type FlatMethods, inGroups } from './lazily.ts'
import { readInput } from './read-input.ts'

const oneProvider = fields({ accessToken: Text, provider: Text })
const oneUrl = fields({ url: Text })
const oneRequest = fields({ accessToken: Text, authorizationId: Text })
const oneApproval = fields({ accessToken: Text, authorizationId: Text, scope: Text })

/** Returns `auth.api`: the methods of endpoints, and the methods that only code has. */
export const createAuthApi = (deps: Deps): AuthApi => inGroups<AuthApi>(methodsFor(deps))

const methodsFor = (deps: Deps): FlatMethods<AuthApi> => ({
  ...derivedMethods<FlatMethods<AuthApi>, 'auth.api'>(deps, 'auth.api'),
  'oauth.approveAuthorization': async (input, options) =>
    decide(deps, 'approve', readInput(input, oneApproval), options),
  'oauth.denyAuthorization': async (input, options) =>
    decide(deps, 'deny', readInput(input, oneRequest), options),
  getProviderToken: async (input, options) => {
    const { accessToken = null, provider } = readInput(input, oneProvider)
    const ctx = openCallForUser(deps, options)
    const caller = await authenticateCaller(ctx, accessToken)
    return getOwnProviderToken(ctx, caller, provider ?? '')
  },
  explainRedirect: async (url) => {
    // As submitted: a URL that JSON cannot represent must be explained, too.
    const { url: candidate } = checkInput({ url }, oneUrl)
    return explainRedirect(deps.config, candidate ?? '')
  },
})

/**
 * Decides an authorization request: one endpoint has both decisions. A call in code states no
 * origin, since the host's own page made it.
 */
async function decide(
  deps: Deps,
  action: 'approve' | 'deny',
  { accessToken, authorizationId = '', scope }: Read<(typeof oneApproval)['kinds']>,
  options: CallOptions | undefined,
): Promise<AuthorizationRedirect> {
  const ctx = openCallForUser(deps, options)
  const caller = await authenticateCaller(ctx, accessToken ?? null)
  const { decideForUser } = await import('../../capabilities/oauth-server/authorize/consent.ts')
  return decideForUser(ctx, caller, authorizationId, { action, scope, origin: null })
}
