import { H3 } from 'h3'
import type { Deps } from './deps.ts'
import { notFound } from './errors/request-errors.ts'
import { listAuditRoute } from './flows/admin-audit/admin-audit.route.ts'
import { listDecisionsRoute } from './flows/admin-decisions/admin-decisions.route.ts'
import {
  deleteFactorByIdRoute,
  getRecoveryCodesByIdRoute,
  listFactorsRoute,
  updateFactorByIdRoute,
} from './flows/admin-users/admin-factors.route.ts'
import {
  deletePasskeyByIdRoute,
  listPasskeysByIdRoute,
} from './flows/admin-users/admin-passkeys.route.ts'
import {
  deleteTrustedDeviceByIdRoute,
  listTrustedDevicesByIdRoute,
} from './flows/admin-users/admin-trusted-devices.route.ts'
import {
  createUserRoute,
  deleteUserByIdRoute,
  getUserByIdRoute,
  listUsersRoute,
  updateUserByIdRoute,
} from './flows/admin-users/admin-users.route.ts'
import {
  authorizeRoute,
  callbackFormRoute,
  callbackRoute,
} from './flows/external-sign-in/external-sign-in.route.ts'
import { generateLinkRoute } from './flows/generate-link/generate-link.route.ts'
import { linkIdentityRoute, unlinkIdentityRoute } from './flows/identities/identities.route.ts'
import { inviteRoute } from './flows/invite/invite.route.ts'
import { magicLinkRoute, otpRoute } from './flows/otp/otp.route.ts'
import {
  deletePasskeyRoute,
  listPasskeysRoute,
  startPasskeyAuthenticationRoute,
  startPasskeyRegistrationRoute,
  startPasskeySignUpRoute,
  updatePasskeyRoute,
  verifyPasskeyAuthenticationRoute,
  verifyPasskeyRegistrationRoute,
  verifyPasskeySignUpRoute,
} from './flows/passkeys/passkeys.route.ts'
import { reauthenticateRoute } from './flows/reauthenticate/reauthenticate.route.ts'
import { recoverRoute } from './flows/recover/recover.route.ts'
import { resendRoute } from './flows/resend/resend.route.ts'
import {
  generateRecoveryCodesRoute,
  getRecoveryCodesRoute,
  regenerateRecoveryCodesRoute,
  unenrollRecoveryCodesRoute,
  verifyRecoveryCodeRoute,
} from './flows/second-factor/recovery-codes.route.ts'
import {
  challengeFactorRoute,
  enrollFactorRoute,
  unenrollFactorRoute,
  verifyFactorRoute,
} from './flows/second-factor/second-factor.route.ts'
import { signOutRoute } from './flows/sign-out/sign-out.route.ts'
import { signUpRoute } from './flows/sign-up/sign-up.route.ts'
import { singleSignOnRoutes } from './flows/single-sign-on/single-sign-on.route.ts'
import {
  healthRoute,
  jwksRoute,
  openidConfigurationRoute,
  readyRoute,
  settingsRoute,
} from './flows/status/status.route.ts'
import { tokenRoute } from './flows/token/token.route.ts'
import {
  deleteTrustedDeviceRoute,
  listTrustedDevicesRoute,
  trustDeviceRoute,
  verifyTrustedDeviceRoute,
} from './flows/trusted-devices/trusted-devices.route.ts'
import { deleteUserRoute, getUserRoute, updateUserRoute } from './flows/user/user.route.ts'
import { followLinkRoute, verifyRoute } from './flows/verify/verify.route.ts'
import { developerRoot } from './guards/local-access.ts'
import type { AnswerRequest } from './http/answer.ts'
import { answerRequest, authForm } from './http/answer-request.ts'
import { allowAnyOrigin, sameOriginOnly } from './http/cors.ts'
import { hintOfMount } from './http/hint-of-mount.ts'
import { refuseOtherMethods } from './http/other-methods.ts'
import { answerLate, withinDeadline } from './http/request-deadline.ts'
import { beginRequest, logRequest, noteDecisions } from './http/request-log.ts'
import { traceRequests } from './http/trace-requests.ts'
import { confirmLinkRoute } from './pages/confirm-link/confirm-link.route.ts'
import { landingRoute } from './pages/landing/landing-page.ts'
import { mailboxRoutes } from './pages/mailbox/mailbox-routes.ts'

/** All endpoints, in reading order. */
function routes(app: H3, deps: Deps): void {
  healthRoute(app)
  readyRoute(app, deps)
  settingsRoute(app, deps)
  jwksRoute(app, deps)
  openidConfigurationRoute(app, deps)

  signUpRoute(app, deps)
  tokenRoute(app, deps)
  authorizeRoute(app, deps)
  callbackRoute(app, deps)
  callbackFormRoute(app, deps)
  singleSignOnRoutes(app)
  signOutRoute(app, deps)
  otpRoute(app, deps)
  magicLinkRoute(app, deps)
  recoverRoute(app, deps)
  resendRoute(app, deps)
  if (deps.config.links.confirm === 'button') confirmLinkRoute(app, deps)
  else followLinkRoute(app, deps)
  verifyRoute(app, deps)
  reauthenticateRoute(app, deps)
  getUserRoute(app, deps)
  updateUserRoute(app, deps)
  if (deps.config.security.ownDeletionEnabled) deleteUserRoute(app, deps)
  linkIdentityRoute(app, deps)
  unlinkIdentityRoute(app, deps)
  enrollFactorRoute(app, deps)
  challengeFactorRoute(app, deps)
  verifyFactorRoute(app, deps)
  unenrollFactorRoute(app, deps)
  getRecoveryCodesRoute(app, deps)
  generateRecoveryCodesRoute(app, deps)
  verifyRecoveryCodeRoute(app, deps)
  regenerateRecoveryCodesRoute(app, deps)
  unenrollRecoveryCodesRoute(app, deps)
  startPasskeyRegistrationRoute(app, deps)
  verifyPasskeyRegistrationRoute(app, deps)
  startPasskeyAuthenticationRoute(app, deps)
  verifyPasskeyAuthenticationRoute(app, deps)
  startPasskeySignUpRoute(app, deps)
  verifyPasskeySignUpRoute(app, deps)
  listPasskeysRoute(app, deps)
  updatePasskeyRoute(app, deps)
  deletePasskeyRoute(app, deps)
  trustDeviceRoute(app, deps)
  verifyTrustedDeviceRoute(app, deps)
  listTrustedDevicesRoute(app, deps)
  deleteTrustedDeviceRoute(app, deps)

  inviteRoute(app, deps)
  generateLinkRoute(app, deps)
  listUsersRoute(app, deps)
  createUserRoute(app, deps)
  getUserByIdRoute(app, deps)
  updateUserByIdRoute(app, deps)
  deleteUserByIdRoute(app, deps)
  listFactorsRoute(app, deps)
  updateFactorByIdRoute(app, deps)
  deleteFactorByIdRoute(app, deps)
  getRecoveryCodesByIdRoute(app, deps)
  listPasskeysByIdRoute(app, deps)
  deletePasskeyByIdRoute(app, deps)
  listTrustedDevicesByIdRoute(app, deps)
  deleteTrustedDeviceByIdRoute(app, deps)
  listAuditRoute(app, deps)
  listDecisionsRoute(app, deps)

  if (deps.developerToken !== null) developerRoutes(app, deps, deps.developerToken)
}

/** What a person at this machine sees, in development alone. */
function developerRoutes(app: H3, { mailbox, mailboxTakes, random }: Deps, token: string): void {
  landingRoute(app, { random })
  if (mailbox) mailboxRoutes(app, { mailbox, takes: mailboxTakes, token, random })
}

/** What answers requests. */
export interface App {
  answer: AnswerRequest
}

/** The HTTP interface: the endpoints, and what every request goes through before and after. */
export function createApp(deps: Deps): App {
  const endpoints = createEndpoints(deps)
  const form = authForm(deps.logger)
  const timeoutMs = deps.config.server.requestTimeoutSeconds * 1000
  const traced = traceRequests(deps)
  return {
    answer: async (request) => {
      const context = beginRequest(deps, request)
      const answer = await traced(request, context, () =>
        withinDeadline(answerRequest(endpoints, request, { form, context }), timeoutMs, () =>
          answerLate(request, context),
        ),
      )
      logRequest(deps, request, answer, context)
      noteDecisions(deps, request, answer, context)
      return answer
    },
  }
}

/** All endpoints, below the base path, and what answers where there is none. */
export function createEndpoints(deps: Deps): H3 {
  const { config, logger } = deps
  // A path that cannot be decoded is one that nobody has. h3 would answer it before anything below ran.
  const app = new H3({ allowMalformedURL: true })
  if (deps.developerToken !== null) {
    app.use(`${config.basePath}${developerRoot}/**`, sameOriginOnly)
  }
  const answerPreflight = allowAnyOrigin(config.server.cors.allowedHeaders)

  const endpoints = new H3()
  routes(endpoints, deps)
  refuseOtherMethods(endpoints, answerPreflight)
  app.mount(config.basePath, endpoints)
  const paths = endpoints['~routes'].map(({ route }) => route ?? '')
  const hint = hintOfMount(logger, config.basePath, [...new Set(paths)])
  app.all('/**', (event) =>
    answerPreflight(event, () => {
      hint(event.url.pathname)
      return notFound()
    }),
  )
  return app
}
