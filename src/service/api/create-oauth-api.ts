import type { Deps } from '../../accounts/auth-context.ts'
import { authenticateCaller } from '../../accounts/callers/authenticate-caller.ts'
import { decideForUser, openForUser } from '../../capabilities/oauth-server/consent.ts'
import { listOwnGrants, revokeOwnGrant } from '../../capabilities/oauth-server/grants.ts'
import { requireDeviceFlow } from '../../capabilities/oauth-server/require-oauth-server.ts'
import { requireUserCode } from '../../capabilities/oauth-server/require-user-code.ts'
import { fields, Text } from '../../platform/http/inputs.ts'
import { type CallOptions, openCall } from './call-options.ts'
import type { OauthApi } from './oauth-api.ts'
import { readInput } from './read-input.ts'

const inputFields = fields({
  accessToken: Text,
  authorizationId: Text,
  scope: Text,
  userCode: Text,
  clientId: Text,
})

/** Returns `auth.api.oauth`. A call in code states no origin: the host's own page made it. */
export function createOauthApi(deps: Deps): OauthApi {
  const open = async (input: object, options?: CallOptions) => {
    const { accessToken = null, ...rest } = readInput(input, inputFields)
    const ctx = openCall(deps, options)
    return { ctx, caller: await authenticateCaller(ctx, accessToken), ...rest }
  }
  const decide = async (action: string, input: object, options?: CallOptions) => {
    const { ctx, caller, authorizationId = '', scope } = await open(input, options)
    return decideForUser(ctx, caller, authorizationId, { action, scope, origin: null })
  }
  return {
    getAuthorizationDetails: async (input, options) => {
      const { ctx, caller, authorizationId = '' } = await open(input, options)
      return openForUser(ctx, caller, { id: authorizationId }, null)
    },
    approveAuthorization: (input, options) => decide('approve', input, options),
    denyAuthorization: (input, options) => decide('deny', input, options),
    getDevice: async (input, options) => {
      requireDeviceFlow(deps)
      const { ctx, caller, userCode } = await open(input, options)
      const userCodeHashes = await requireUserCode(ctx, caller, userCode)
      return openForUser(ctx, caller, { userCodeHashes }, null)
    },
    listGrants: async (input, options) => {
      const { ctx, caller } = await open(input, options)
      return listOwnGrants(ctx, caller)
    },
    revokeGrant: async (input, options) => {
      const { ctx, caller, clientId } = await open(input, options)
      return revokeOwnGrant(ctx, caller, clientId)
    },
  }
}
