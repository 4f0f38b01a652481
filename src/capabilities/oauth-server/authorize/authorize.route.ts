import { implementSeparately } from '../../../endpoints/http/implement.ts'
import { validationFailed } from '../../../platform/errors/request-errors.ts'
import { redirectAnswer } from '../../../platform/http/answer.ts'
import { presentClientSummary } from '../clients/present-client.ts'
import { parametersIn, parametersOf, readRawBody } from '../protocol/parameters.ts'
import {
  authorizeByFormEndpoint,
  authorizeByQueryEndpoint,
  consentEndpoint,
  getAuthorizationEndpoint,
} from './authorize.endpoint.ts'
import { authorize } from './authorize.ts'
import {
  type AuthorizationDetails,
  type AuthorizationRedirect,
  decideForUser,
  openForUser,
} from './consent.ts'

export const authorizeRoutes = [
  implementSeparately(authorizeByQueryEndpoint, {
    handle:
      () =>
      async ({ ctx, event }) =>
        redirectAnswer(302, await authorize(ctx, parametersOf(event.url.searchParams))),
  }),
  implementSeparately(authorizeByFormEndpoint, {
    readBody: readRawBody,
    handle:
      () =>
      async ({ ctx, input: { body } }) =>
        redirectAnswer(302, await authorize(ctx, parametersIn(body))),
  }),
  implementSeparately(getAuthorizationEndpoint, {
    handle:
      () =>
      async ({ ctx, caller, event, ids }) =>
        presentAuthorization(
          await openForUser(
            ctx,
            caller,
            { id: ids.authorizationId },
            event.req.headers.get('origin'),
          ),
        ),
    // A call in code states no origin: the host's own page made it.
    run: ({ ctx, caller, ids }) => openForUser(ctx, caller, { id: ids.authorizationId }, null),
  }),
  implementSeparately(consentEndpoint, {
    handle:
      () =>
      async ({ ctx, caller, event, ids, input: { action, scope } }) => {
        const origin = event.req.headers.get('origin')
        const decision = { action: requireDecision(action), scope, origin }
        const { redirectUrl } = await decideForUser(ctx, caller, ids.authorizationId, decision)
        return { redirect_url: redirectUrl }
      },
  }),
] as const

/** @throws AuthError `validation_failed` (400). */
function requireDecision(action: string | undefined): 'approve' | 'deny' {
  if (action === 'approve' || action === 'deny') return action
  throw validationFailed("action: action must be 'approve' or 'deny'")
}

/** Builds the wire form of an opened request. */
export const presentAuthorization = (
  opened: AuthorizationDetails | AuthorizationRedirect,
): Record<string, unknown> =>
  'redirectUrl' in opened
    ? { redirect_url: opened.redirectUrl }
    : {
        authorization_id: opened.authorizationId,
        redirect_uri: opened.redirectUri,
        client: presentClientSummary(opened.client),
        // As in the wire form of a user: some clients require the email.
        user: { id: opened.user.id, email: opened.user.email ?? '' },
        scope: opened.scope,
        resource: opened.resource ?? undefined,
      }
