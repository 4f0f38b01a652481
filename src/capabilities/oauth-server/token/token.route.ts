import type { H3Event } from 'h3'
import type { AuthContext } from '../../../accounts/auth-context.ts'
import { implementSeparately } from '../../../endpoints/http/implement.ts'
import { jsonAnswer } from '../../../platform/http/answer.ts'
import { resolveCredentials } from '../clients/resolve-credentials.ts'
import { verifyProof } from '../protocol/dpop.ts'
import { deviceGrant, enabledGrants, tokenExchangeGrant } from '../protocol/grant-types.ts'
import { inOauthForm, notStored, tokenForm } from '../protocol/oauth-answer.ts'
import { invalidRequest, oauthError } from '../protocol/oauth-errors.ts'
import { type OauthParameters, parametersIn, readRawBody } from '../protocol/parameters.ts'
import { clientCredentialsGrant, issueToClient } from './client-credentials-grant.ts'
import { exchangeCode } from './exchange-code.ts'
import { exchangeDeviceCode } from './exchange-device-code.ts'
import { exchangeToken } from './exchange-token.ts'
import { refreshTokens } from './refresh-tokens.ts'
import { oauthTokenEndpoint } from './token.endpoint.ts'
import { presentTokens } from './token-response.ts'

const grants = {
  authorization_code: exchangeCode,
  refresh_token: refreshTokens,
  [deviceGrant]: exchangeDeviceCode,
} as const

export const tokenRoutes = [
  implementSeparately(oauthTokenEndpoint, {
    // Read in the handler, so that a malformed body is rejected in the form of OAuth, too.
    readBody: readRawBody,
    handle:
      () =>
      ({ ctx, event, input: { body } }) =>
        inOauthForm(event, tokenForm, async () =>
          jsonAnswer(200, await issue(ctx, event, parametersIn(body)), notStored),
        ),
  }),
] as const

const isGrant = (name: string): name is keyof typeof grants => Object.hasOwn(grants, name)

async function issue(
  ctx: AuthContext,
  event: H3Event,
  parameters: OauthParameters,
): Promise<Record<string, unknown>> {
  const name = parameters('grant_type')
  const isEnabled = name !== undefined && enabledGrants(ctx.config).includes(name)
  const keyThumbprint = await verifyProof(ctx, event, { method: 'POST', path: '/oauth/token' })
  const request = { ctx, keyThumbprint }
  if (isEnabled && name === clientCredentialsGrant) {
    return issueToClient(request, event, parameters)
  }
  const credentials = await resolveCredentials(ctx, event, parameters)
  if (name === undefined) throw invalidRequest('grant_type is required')
  if (isEnabled && name === tokenExchangeGrant) {
    return exchangeToken(request, event, credentials, parameters)
  }
  if (!isEnabled || !isGrant(name)) {
    throw oauthError('unsupported_grant_type', 'The grant type is not supported')
  }
  return presentTokens(await grants[name](request, event, credentials, parameters))
}
