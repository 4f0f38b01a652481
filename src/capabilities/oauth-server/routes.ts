import { authorizeRoutes } from './authorize/authorize.route.ts'
import { pushedRequestRoutes } from './authorize/pushed-request.route.ts'
import { adminClientsRoutes } from './clients/admin-clients.route.ts'
import { registrationRoutes } from './clients/registration.route.ts'
import { deviceRoutes } from './device/device.route.ts'
import { grantsRoutes } from './grants/grants.route.ts'
import { endSessionRoutes } from './logout/end-session.route.ts'
import { tokenRoutes } from './token/token.route.ts'
import { tokenManagementRoutes } from './token/token-management.route.ts'
import { userinfoRoutes } from './userinfo/userinfo.route.ts'

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
