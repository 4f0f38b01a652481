import { adminAuditRoutes } from '../endpoints/admin-audit/admin-audit.route.ts'
import { adminDecisionsRoutes } from '../endpoints/admin-decisions/admin-decisions.route.ts'
import { adminFactorsRoutes } from '../endpoints/admin-users/admin-factors.route.ts'
import { adminPasskeysRoutes } from '../endpoints/admin-users/admin-passkeys.route.ts'
import { adminSessionsRoutes } from '../endpoints/admin-users/admin-sessions.route.ts'
import { adminUsersRoutes } from '../endpoints/admin-users/admin-users.route.ts'
import { externalSignInRoutes } from '../endpoints/external-sign-in/external-sign-in.route.ts'
import { generateLinkRoutes } from '../endpoints/generate-link/generate-link.route.ts'
import type { Endpoint } from '../endpoints/http/endpoint.ts'
import type { Implemented, OnOnePath } from '../endpoints/http/implement.ts'
import { identitiesRoutes } from '../endpoints/identities/identities.route.ts'
import { inviteRoutes } from '../endpoints/invite/invite.route.ts'
import { otpRoutes } from '../endpoints/otp/otp.route.ts'
import { passkeysRoutes } from '../endpoints/passkeys/passkeys.route.ts'
import { reauthenticateRoutes } from '../endpoints/reauthenticate/reauthenticate.route.ts'
import { recoverRoutes } from '../endpoints/recover/recover.route.ts'
import { resendRoutes } from '../endpoints/resend/resend.route.ts'
import { recoveryCodesRoutes } from '../endpoints/second-factor/recovery-codes.route.ts'
import { secondFactorRoutes } from '../endpoints/second-factor/second-factor.route.ts'
import { sessionsRoutes } from '../endpoints/sessions/sessions.route.ts'
import { signOutRoutes } from '../endpoints/sign-out/sign-out.route.ts'
import { signUpRoutes } from '../endpoints/sign-up/sign-up.route.ts'
import { singleSignOnRoutes } from '../endpoints/single-sign-on/single-sign-on.route.ts'
import { statusRoutes } from '../endpoints/status/status.route.ts'
import { tokenRoutes } from '../endpoints/token/token.route.ts'
import { userRoutes } from '../endpoints/user/user.route.ts'
import { verifyRoutes } from '../endpoints/verify/verify.route.ts'
import { capabilityEndpoints, capabilityOperatorEndpoints } from './capabilities.ts'

/**
 * The endpoint registry, in reading order. The app, `auth.api`, `auth.admin`, documents and test
 * matrices are derived from it.
 */
export const registry = [
  ...statusRoutes,
  ...signUpRoutes,
  ...tokenRoutes,
  ...externalSignInRoutes,
  ...singleSignOnRoutes,
  ...signOutRoutes,
  ...sessionsRoutes,
  ...otpRoutes,
  ...recoverRoutes,
  ...resendRoutes,
  ...verifyRoutes,
  ...reauthenticateRoutes,
  ...userRoutes,
  ...identitiesRoutes,
  ...secondFactorRoutes,
  ...recoveryCodesRoutes,
  ...passkeysRoutes,
  ...capabilityEndpoints,
  ...inviteRoutes,
  ...generateLinkRoutes,
  ...adminUsersRoutes,
  ...adminSessionsRoutes,
  ...adminFactorsRoutes,
  ...adminPasskeysRoutes,
  ...capabilityOperatorEndpoints,
  ...adminAuditRoutes,
  ...adminDecisionsRoutes,
] as const satisfies readonly (Implemented | OnOnePath)[]

type Registered = (typeof registry)[number]

/** The type of each endpoint of the registry, with its implementation. */
export type RegisteredEndpoint =
  | Extract<Registered, { endpoint: Endpoint }>
  | Extract<Registered, { members: unknown }>['members'][number]

/**
 * The endpoints with their implementations. Some share a path: each grant of `POST /token` is one
 * of its own.
 */
export const implementations: readonly Implemented[] = registry.flatMap(
  (one: Implemented | OnOnePath) => ('members' in one ? one.members : [one]),
)

export const endpoints: readonly Endpoint[] = implementations.map(({ endpoint }) => endpoint)
