import { sweepExpiredRows } from '../../platform/sql/sweep-expired-rows.sql.ts'
import { defineBuiltInCapability } from '../capability.ts'
import { adminClientsRoutes } from './admin-clients.route.ts'
import { authorizeRoutes } from './authorize.route.ts'
import { deviceRoutes } from './device.route.ts'
import { endAuthorizationsOf, endOauthConsentsOf } from './end-grants-of.sql.ts'
import { endSessionRoutes } from './end-session.route.ts'
import { grantsRoutes } from './grants.route.ts'
import { openLogoutOutlet } from './logout-outlet.ts'
import { metadataRoutes } from './metadata.route.ts'
import { oauthServerTables } from './migrations.ts'
import * as terms from './oauth-server.terms.ts'
import { settings } from './oauth-server-settings.terms.ts'
import {
  otherColumns,
  personalOauthAuthorizations,
  personalOauthConsents,
} from './personal-oauth.ts'
import { pushedRequestRoutes } from './pushed-request.route.ts'
import { registrationRoutes } from './registration.route.ts'
import { reportEndedSessions } from './report-ended-sessions.sql.ts'
import { tokenRoutes } from './token.route.ts'
import { tokenManagementRoutes } from './token-management.route.ts'
import { userinfoRoutes } from './userinfo.route.ts'

/** The provider of other applications: OAuth 2.1 and OpenID Connect. */
export const oauthServer = defineBuiltInCapability({
  name: 'oauth-server',
  terms,
  settings,
  migrations: [{ name: '20261126-oauth-server', statements: oauthServerTables }],
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
    ...registrationRoutes,
    ...authorizeRoutes,
    ...pushedRequestRoutes,
    ...deviceRoutes,
    ...tokenRoutes,
    ...tokenManagementRoutes,
    ...endSessionRoutes,
    ...userinfoRoutes,
    ...grantsRoutes,
  ],
  operatorEndpoints: adminClientsRoutes,
  sweeps: [
    sweepExpiredRows('oauth_authorizations'),
    sweepExpiredRows('oauth_clients'),
    sweepExpiredRows('oauth_spent_proofs', 'proof_hash'),
  ],
  endGrants: endAuthorizationsOf,
  endConsents: endOauthConsentsOf,
  reportEnded: reportEndedSessions,
  openOutlet: openLogoutOutlet,
})
