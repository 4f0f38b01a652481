import { adminClientsRoutes } from './admin-clients.route.ts'
import { authorizeRoutes } from './authorize.route.ts'
import { deviceRoutes } from './device.route.ts'
import { endSessionRoutes } from './end-session.route.ts'
import { grantsRoutes } from './grants.route.ts'
import { pushedRequestRoutes } from './pushed-request.route.ts'
import { registrationRoutes } from './registration.route.ts'
import { tokenRoutes } from './token.route.ts'
import { tokenManagementRoutes } from './token-management.route.ts'
import { userinfoRoutes } from './userinfo.route.ts'

// The code of the endpoints, which is loaded where the OAuth server is enabled.

export const oauthServerRoutes = [
  ...registrationRoutes,
  ...authorizeRoutes,
  ...pushedRequestRoutes,
  ...deviceRoutes,
  ...tokenRoutes,
  ...tokenManagementRoutes,
  ...endSessionRoutes,
  ...userinfoRoutes,
  ...grantsRoutes,
] as const

export const oauthServerOperatorRoutes = adminClientsRoutes
