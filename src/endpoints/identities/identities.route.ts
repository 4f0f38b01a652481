import { createLinkingRequest } from '../../accounts/external-sign-in/create-authorization-request.ts'
import { jsonAnswer, redirectAnswer } from '../../platform/http/answer.ts'
import { bindBrowser, readBrowser } from '../../platform/http/browser-cookie.ts'
import { readQuery } from '../../platform/http/read-request.ts'
import { implementSeparately } from '../http/implement.ts'
import { readFlowStart } from '../http/read-input.ts'
import { linkIdentityEndpoint, unlinkIdentityEndpoint } from './identities.endpoint.ts'
import { unlinkIdentity } from './unlink-identity.ts'

export const identitiesRoutes = [
  implementSeparately(linkIdentityEndpoint, {
    handle:
      () =>
      async ({ ctx, event, caller }) => {
        // Browsers store it where the page that requests this has the origin of the service.
        const browser = readBrowser(ctx.config, event) ?? ctx.random.hex(16)
        const { url } = await createLinkingRequest(ctx, caller, {
          ...readFlowStart(event),
          browser,
        })
        const headers = { 'set-cookie': bindBrowser(ctx.config, browser) }
        return readQuery(event, 'skip_http_redirect') === 'true'
          ? jsonAnswer(200, { url }, headers)
          : redirectAnswer(302, url, headers)
      },
    run: ({ ctx, caller, input }) => createLinkingRequest(ctx, caller, { ...input, browser: null }),
  }),
  implementSeparately(unlinkIdentityEndpoint, {
    handle:
      () =>
      async ({ ctx, event, caller, ids }) => {
        const audience = event.req.headers.get('x-jwt-aud')
        await unlinkIdentity(ctx, caller, { ...ids, audience })
        return {}
      },
    run: ({ ctx, caller, ids }) => unlinkIdentity(ctx, caller, ids),
  }),
] as const
