import type { H3 } from 'h3'
import type { Deps } from '../../deps.ts'
import { limitClient } from '../../guards/limit-client.ts'
import { redirectAnswer } from '../../http/answer.ts'
import { maxPlainBodyBytes } from '../../http/body-limit.ts'
import { readBrowser } from '../../http/browser-cookie.ts'
import { checkBody } from '../../http/check-input.ts'
import type { Unread } from '../../http/endpoint.ts'
import { openContext } from '../../http/open-context.ts'
import { presentSession } from '../../http/present-session.ts'
import { presentUser } from '../../http/present-user.ts'
import { jsonIn } from '../../http/read-json.ts'
import { readRedirectTo } from '../../http/read-redirect-to.ts'
import { type Form, formIn, readQuery } from '../../http/read-request.ts'
import { readText } from '../../http/read-text.ts'
import { serveEndpoint } from '../../http/serve-endpoint.ts'
import { followLink } from './follow-link.ts'
import { type FollowLinkInput, followLinkEndpoint, verifyEndpoint } from './verify.endpoint.ts'
import { verifyToken } from './verify-token.ts'

/** `GET /verify`: what a mailed link leads to. It sends the browser on with what came of it. */
export function followLinkRoute(app: H3, deps: Deps): void {
  serveEndpoint(app, followLinkEndpoint, async (event) => {
    const ctx = openContext(deps, event)
    await limitClient(ctx, followLinkEndpoint.limit)

    const target = await followLink(ctx, {
      type: readQuery(event, 'type'),
      token: readQuery(event, 'token'),
      redirect: readRedirectTo(event),
      browser: readBrowser(deps.config, event),
    })
    return redirectAnswer(303, target)
  })
  // Whoever looks at a link before they show it to people asks so, and must not use it up.
  app.head('/verify', () => null)
}

/**
 * `POST /verify`: trades a code or a link's secret for a session. Where a button has to be pressed, its
 * form comes here, and sends the browser on as the link does elsewhere.
 */
export function verifyRoute(app: H3, deps: Deps): void {
  serveEndpoint(app, verifyEndpoint, async (event) => {
    const ctx = openContext(deps, event)
    await limitClient(ctx, verifyEndpoint.limit)
    const text = await readText(event, maxPlainBodyBytes)
    const form = deps.config.links.confirm === 'button' ? formIn(event, text) : null
    if (form)
      return redirectAnswer(
        303,
        await followLink(ctx, { ...linkIn(form), browser: readBrowser(deps.config, event) }),
      )
    const input = checkBody(jsonIn(text), verifyEndpoint.body)

    const { type, user, session } = await verifyToken(ctx, input)
    return session ? { ...presentSession(presentUser(user), session), type } : halfway
  })
}

/** The page tells nobody where it is, so the page that asked counts for nothing here. */
const linkIn = (form: Form): Unread<FollowLinkInput> => ({
  type: form('type'),
  token: form('token'),
  redirect: { target: form('redirect_to') },
})

/** One of two addresses has confirmed a change; the code is a text here, and always was. */
const halfway = {
  msg: 'Confirmation link accepted. Please proceed to confirm link sent to the other email',
  code: '200',
}
