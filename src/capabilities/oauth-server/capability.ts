import type { HookPayload, Outlet } from '../../delivery/outbox/message.ts'
import { implementOnDemand } from '../../endpoints/http/implement-on-demand.ts'
import { loadOnce } from '../../platform/kit/load-once.ts'
import { sweepExpiredRows } from '../../platform/sql/delete-rows.sql.ts'
import { defineBuiltInCapability, type OutletNeeds } from '../capability.ts'
import * as authorize from './authorize/authorize.endpoint.ts'
import * as pushedRequest from './authorize/pushed-request.endpoint.ts'
import * as adminClients from './clients/admin-clients.endpoint.ts'
import * as registration from './clients/registration.endpoint.ts'
import * as device from './device/device.endpoint.ts'
import { endAuthorizationsOf, endOauthConsentsOf } from './grants/ended-grants.sql.ts'
import * as grants from './grants/grants.endpoint.ts'
import * as endSession from './logout/end-session.endpoint.ts'
import { reportEndedSessions } from './logout/report-ended-sessions.sql.ts'
import { metadataRoutes } from './metadata/metadata.route.ts'
import { consentDestinations, oauthServerTables } from './migrations.ts'
import * as terms from './oauth-server.terms.ts'
import { settings } from './oauth-server-settings.terms.ts'
import {
  otherColumns,
  personalOauthAuthorizations,
  personalOauthConsents,
} from './personal-oauth.ts'
import * as token from './token/token.endpoint.ts'
import * as tokenManagement from './token/token-management.endpoint.ts'
import * as userinfo from './userinfo/userinfo.endpoint.ts'

type Routes = typeof import('./routes.ts')

/**
 * The provider of other applications: OAuth 2.1 and OpenID Connect. Its code is loaded where the
 * configuration enables it.
 */
export const oauthServer = defineBuiltInCapability({
  name: 'oauth-server',
  terms,
  settings,
  migrations: [
    { name: '20261126-oauth-server', statements: oauthServerTables },
    { name: '20261127-oauth-consent-destinations', statements: consentDestinations },
  ],
  entities: async () => {
    const { entities } = await import('./entities.ts')
    return entities
  },
  personalTables: {
    oauthConsents: personalOauthConsents,
    oauthAuthorizations: personalOauthAuthorizations,
  },
  otherTables: {
    oauth_clients: 'registrations of applications, which contain no user',
    oauth_spent_proofs: 'hashes of proofs of clients, which contain no user',
  },
  otherColumns,
  endpoints: [
    ...metadataRoutes,
    ...implementOnDemand<Routes['oauthServerRoutes']>(
      [
        registration.registerClientEndpoint,
        authorize.authorizeByQueryEndpoint,
        authorize.authorizeByFormEndpoint,
        authorize.getAuthorizationEndpoint,
        authorize.consentEndpoint,
        pushedRequest.pushEndpoint,
        device.deviceAuthorizationEndpoint,
        device.getDeviceEndpoint,
        token.oauthTokenEndpoint,
        tokenManagement.revokeEndpoint,
        tokenManagement.introspectEndpoint,
        endSession.endSessionEndpoint,
        endSession.endSessionByFormEndpoint,
        userinfo.userinfoEndpoint,
        userinfo.userinfoByPostEndpoint,
        grants.listGrantsEndpoint,
        grants.revokeGrantEndpoint,
      ],
      async () => (await import('./routes.ts')).oauthServerRoutes,
    ),
  ],
  operatorEndpoints: implementOnDemand<Routes['oauthServerOperatorRoutes']>(
    [
      adminClients.createClientEndpoint,
      adminClients.listClientsEndpoint,
      adminClients.getClientEndpoint,
      adminClients.updateClientEndpoint,
      adminClients.deleteClientEndpoint,
      adminClients.regenerateSecretEndpoint,
    ],
    async () => (await import('./routes.ts')).oauthServerOperatorRoutes,
  ),
  sweeps: [
    sweepExpiredRows('oauth_authorizations'),
    sweepExpiredRows('oauth_clients'),
    sweepExpiredRows('oauth_spent_proofs', 'proof_hash'),
  ],
  endGrants: endAuthorizationsOf,
  endConsents: endOauthConsentsOf,
  reportEnded: reportEndedSessions,
  openOutlets: (needs: OutletNeeds) => {
    const outlet = loadOnce(async () =>
      (await import('./logout/logout-outlet.ts')).openLogoutOutlet(needs),
    )
    const oauthLogout: Outlet<HookPayload> = {
      send: async (...given) => (await outlet()).send(...given),
      preview: async (...given) => (await outlet()).preview(...given),
    }
    return { oauth_logout: oauthLogout }
  },
})
