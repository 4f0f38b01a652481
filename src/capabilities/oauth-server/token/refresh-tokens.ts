import type { H3Event } from 'h3'
import { renewSession } from '../../../accounts/lifecycle/renew-session.ts'
import { resemblesRefreshToken } from '../../../accounts/sessions/refresh-token.ts'
import { type ClientTerms, rotateSessionOfClient } from '../../../accounts/sessions/rotate.sql.ts'
import { userExpression } from '../../../accounts/users/user-row.ts'
import { scopesIn } from '../../../platform/kit/scopes-in.ts'
import { readResource } from '../authorize/authorize.ts'
import {
  type ClientCredentials,
  type ClientValues,
  clientValues,
  findPresentedClient,
  type PresentedClient,
  presentedClient,
  requireClient,
} from '../clients/client-credentials.ts'
import { invalidGrant, invalidRequest, oauthError } from '../protocol/oauth-errors.ts'
import type { OauthParameters } from '../protocol/parameters.ts'
import { isPermittedResourceInSql } from './resources.sql.ts'
import type { ClientTokens, TokenRequest } from './token-response.ts'

type TermsValues = ClientValues & {
  /** The requested part of the scope; null for all of it. */
  scope: string | null
  resource: string | null
  /** See {@link isPermittedResourceInSql}. */
  resources: string
  keyThumbprint: string | null
}

const terms: ClientTerms<PresentedClient, TermsValues> = {
  tables: (sql, $) => presentedClient(sql, $),
  condition: (_, $) => `s.oauth_client_id = (select id from client
          where is_authenticated and has_grant)
        and (${$.scope}::text is null
          or string_to_array(s.scopes, ' ') @> string_to_array(${$.scope}, ' '))
        and (${$.resource}::text is null or s.oauth_resource = ${$.resource})
        and ${isPermittedResourceInSql('s.oauth_resource', $.resources)}
        and (s.oauth_key is null or s.oauth_key = ${$.keyThumbprint}::text)`,
}

/**
 * Exchanges a refresh token of a client for new tokens. The scope may shrink; that of the session
 * stays.
 *
 * @throws AuthError `invalid_request`, `invalid_client`, `unauthorized_client`, `invalid_grant`,
 *   `invalid_scope`, `invalid_target`.
 * @see RFC 6749 §6
 */
export async function refreshTokens(
  { ctx, keyThumbprint }: TokenRequest,
  event: H3Event,
  credentials: ClientCredentials,
  parameters: OauthParameters,
): Promise<ClientTokens> {
  const token = parameters('refresh_token')
  if (token === undefined) throw invalidRequest('refresh_token is required')
  const given = parameters('scope')
  const scope = given === undefined ? null : scopesIn(given).join(' ')
  const resource = parameters('resource') ?? null
  const values = {
    ...clientValues(credentials, 'refresh_token', ctx.clock.now()),
    scope,
    resource,
    resources: JSON.stringify(ctx.config.oauthServer.resources),
    keyThumbprint,
  }
  // A token that was never one is rejected without the statement that authenticates its client.
  if (!resemblesRefreshToken(token)) {
    requireClient(event, await findPresentedClient(ctx.sql, clientOnly(values)))
    throw invalidGrant('The token is not valid')
  }
  const { session, scopes } = await renewSession(ctx, token, {
    clientId: credentials.clientId,
    rotate: async (rotation) => {
      const { rotated, client } = await rotateSessionOfClient(ctx.sql, userExpression, rotation, {
        terms,
        values,
      })
      requireClient(event, client)
      return rotated
    },
    requireTerms: ({ session: { scopes, oauth_resource, oauth_key }, ending }) => {
      if (ending !== null) return
      const granted = scopesIn(scopes ?? '')
      if (scope !== null && !scopesIn(scope).every((one) => granted.includes(one))) {
        throw oauthError('invalid_scope', 'scope cannot exceed the granted one')
      }
      if (resource !== null && resource !== oauth_resource) {
        throw oauthError('invalid_target', 'resource differs from that of the authorization')
      }
      readResource(ctx, oauth_resource ?? undefined)
      if (oauth_key !== null && oauth_key !== keyThumbprint) {
        throw invalidGrant('The token is bound to another key')
      }
    },
    sessionFor: (one) => ({
      ...one,
      grant: one.grant && {
        ...one.grant,
        scope: scope ?? one.grant.scope,
        keyThumbprint: keyThumbprint ?? one.grant.keyThumbprint,
      },
    }),
  })
  return {
    session,
    scope: scopes ?? '',
    hasRefreshToken: true,
    tokenType: keyThumbprint === null ? 'bearer' : 'DPoP',
    idToken: null,
  }
}

const clientOnly = ({ clientId, method, secretHashes, grant, now }: TermsValues): ClientValues => ({
  clientId,
  method,
  secretHashes,
  grant,
  now,
})
