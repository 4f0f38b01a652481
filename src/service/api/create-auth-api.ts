import type { Deps } from '../../accounts/auth-context.ts'
import { authenticateCaller } from '../../accounts/callers/authenticate-caller.ts'
import { getOwnProviderToken } from '../../endpoints/provider-tokens/get-provider-token.ts'
import { explainRedirect } from '../../limits/redirects/explain-redirect.ts'
import { checkInput } from '../../platform/http/check-input.ts'
import { fields, Text } from '../../platform/http/inputs.ts'
import type { AuthApi, AuthMethods } from './auth-api.ts'
import { openCall } from './call-options.ts'
import { createOauthApi } from './create-oauth-api.ts'
import { derivedMethods } from './derived-methods.ts'
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
