import type { Deps } from '../../accounts/auth-context.ts'
import { authenticateCaller } from '../../accounts/callers/authenticate-caller.ts'
import { requireDeviceFlow } from '../../capabilities/oauth-server/oauth-errors.ts'
import { getOwnProviderToken } from '../../endpoints/provider-tokens/get-provider-token.ts'
import { explainRedirect } from '../../limits/redirects/explain-redirect.ts'
import { checkInput } from '../../platform/http/check-input.ts'
import { fields, Text } from '../../platform/http/inputs.ts'
import type { AuthApi, AuthMethods } from './auth-api.ts'
import { type CallOptions, openCall } from './call-options.ts'
import { derivedMethods } from './derived-methods.ts'
import type { OauthApi } from './oauth-api.ts'
import { readInput } from './read-input.ts'

const oneProvider = fields({ accessToken: Text, provider: Text })
const oneUrl = fields({ url: Text })

/** Returns `auth.api`: the methods of endpoints, and the methods that only code has. */
export const createAuthApi = (deps: Deps): AuthApi => ({
  ...derivedMethods<AuthMethods, 'auth.api'>(deps, 'auth.api'),
  getProviderToken: async (input, options) => {
    const { accessToken = null, provider } = readInput(input, oneProvider)
    const ctx = openCall(deps, options)
    const caller = await authenticateCaller(ctx, accessToken)
    return getOwnProviderToken(ctx, caller, provider ?? '')
  },
  explainRedirect: async (url) => {
    // As submitted: a URL that JSON cannot represent must be explained, too.
    const { url: candidate } = checkInput({ url }, oneUrl)
    return explainRedirect(deps.config, candidate ?? '')
  },
  oauth: createOauthApi(deps),
})

const inputFields = fields({
  accessToken: Text,
  authorizationId: Text,
  scope: Text,
  userCode: Text,
  clientId: Text,
})

/** The use cases, which are loaded by the first call. */
const consent = () => import('../../capabilities/oauth-server/consent.ts')
const grants = () => import('../../capabilities/oauth-server/grants.ts')

/** Returns `auth.api.oauth`. A call in code states no origin: the host's own page made it. */
function createOauthApi(deps: Deps): OauthApi {
  const open = async (input: object, options?: CallOptions) => {
    const { accessToken = null, ...rest } = readInput(input, inputFields)
    const ctx = openCall(deps, options)
    return { ctx, caller: await authenticateCaller(ctx, accessToken), ...rest }
  }
  const decide = async (action: string, input: object, options?: CallOptions) => {
    const { ctx, caller, authorizationId = '', scope } = await open(input, options)
    const { decideForUser } = await consent()
    return decideForUser(ctx, caller, authorizationId, { action, scope, origin: null })
  }
  return {
    getAuthorizationDetails: async (input, options) => {
      const { ctx, caller, authorizationId = '' } = await open(input, options)
      const { openForUser } = await consent()
      return openForUser(ctx, caller, { id: authorizationId }, null)
    },
    approveAuthorization: (input, options) => decide('approve', input, options),
    denyAuthorization: (input, options) => decide('deny', input, options),
    getDevice: async (input, options) => {
      requireDeviceFlow(deps)
      const { ctx, caller, userCode } = await open(input, options)
      const { requireUserCode } = await import(
        '../../capabilities/oauth-server/require-user-code.ts'
      )
      const { openForUser } = await consent()
      const userCodeHashes = await requireUserCode(ctx, caller, userCode)
      return openForUser(ctx, caller, { userCodeHashes }, null)
    },
    listGrants: async (input, options) => {
      const { ctx, caller } = await open(input, options)
      const { listOwnGrants } = await grants()
      return listOwnGrants(ctx, caller)
    },
    revokeGrant: async (input, options) => {
      const { ctx, caller, clientId } = await open(input, options)
      const { revokeOwnGrant } = await grants()
      return revokeOwnGrant(ctx, caller, clientId)
    },
  }
}
