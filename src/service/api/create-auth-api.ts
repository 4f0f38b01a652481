import type { Deps } from '../../accounts/auth-context.ts'
import { authenticateCaller } from '../../accounts/callers/authenticate-caller.ts'
import { liveSessions } from '../../accounts/sign-in/live-sessions.ts'
import { getOwnProviderToken } from '../../endpoints/provider-tokens/get-provider-token.ts'
import { revokeSession } from '../../endpoints/sessions/revoke-session.ts'
import { explainRedirect } from '../../limits/redirects/explain-redirect.ts'
import { checkInput } from '../../platform/http/check-input.ts'
import { fields, Text } from '../../platform/http/inputs.ts'
import type { AuthApi } from './auth-api.ts'
import { openCall } from './call-options.ts'
import { derivedMethods } from './derived-methods.ts'
import { readInput } from './read-input.ts'

const bearer = fields({ accessToken: Text })
const oneSession = fields({ accessToken: Text, sessionId: Text })
const oneProvider = fields({ accessToken: Text, provider: Text })
const oneUrl = fields({ url: Text })

/** Returns `auth.api`: the methods of endpoints, and the methods that only code has. */
export const createAuthApi = (deps: Deps): AuthApi => ({
  ...derivedMethods<AuthApi, 'auth.api'>(deps, 'auth.api'),
  listSessions: async (input, options) => {
    const { accessToken = null } = readInput(input, bearer)
    const ctx = openCall(deps, options)
    const { user, session } = await authenticateCaller(ctx, accessToken)
    return liveSessions(ctx, user, session?.id)
  },
  revokeSession: async (input, options) => {
    const { accessToken = null, sessionId } = readInput(input, oneSession)
    const ctx = openCall(deps, options)
    const caller = await authenticateCaller(ctx, accessToken)
    return revokeSession(ctx, caller, sessionId ?? '')
  },
  getProviderToken: async (input, options) => {
    const { accessToken = null, provider } = readInput(input, oneProvider)
    const ctx = openCall(deps, options)
    const caller = await authenticateCaller(ctx, accessToken)
    return getOwnProviderToken(ctx, caller, provider ?? '')
  },
  explainRedirect: async (url) => {
    // As given: a URL that JSON cannot represent is one to explain.
    const { url: candidate } = checkInput({ url }, oneUrl)
    return explainRedirect(deps.config, candidate ?? '')
  },
})
