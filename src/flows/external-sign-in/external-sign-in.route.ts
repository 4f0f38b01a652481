import type { H3, H3Event } from 'h3'
import type { AuthContext, Deps } from '../../deps.ts'
import { limitClient } from '../../guards/limit-client.ts'
import { type Answer, redirectAnswer } from '../../http/answer.ts'
import { maxPlainBodyBytes } from '../../http/body-limit.ts'
import { readBrowser, tieBrowser } from '../../http/browser-cookie.ts'
import { openContext } from '../../http/open-context.ts'
import { readDeparture } from '../../http/read-departure.ts'
import { formIn, readQuery } from '../../http/read-request.ts'
import { readText } from '../../http/read-text.ts'
import { serveEndpoint } from '../../http/serve-endpoint.ts'
import { beginExternalSignIn } from './begin-external-sign-in.ts'
import {
  authorizeEndpoint,
  callbackEndpoint,
  callbackFormEndpoint,
} from './external-sign-in.endpoint.ts'
import { finishExternalSignIn } from './finish-external-sign-in.ts'

/** `GET /authorize`: sends a browser to a provider. */
export function authorizeRoute(app: H3, deps: Deps): void {
  serveEndpoint(app, authorizeEndpoint, async (event) => {
    const ctx = openContext(deps, event)
    await limitClient(ctx, authorizeEndpoint.limit)
    const browser = readBrowser(deps.config, event) ?? deps.random.hex(16)

    const { url } = await beginExternalSignIn(ctx, { ...readDeparture(event), browser })
    return redirectAnswer(302, url, { 'set-cookie': tieBrowser(deps.config, browser) })
  })
}

/** `GET /callback`: takes a browser back from a provider. */
export function callbackRoute(app: H3, deps: Deps): void {
  serveEndpoint(app, callbackEndpoint, (event) =>
    comeBack(openContext(deps, event), event, (name) => readQuery(event, name)),
  )
}

/** `POST /callback`: the same for a provider whose page submits a form. */
export function callbackFormRoute(app: H3, deps: Deps): void {
  serveEndpoint(app, callbackFormEndpoint, async (event) => {
    const ctx = openContext(deps, event)
    const form = formIn(event, await readText(event, maxPlainBodyBytes))
    return comeBack(ctx, event, form ?? ((name) => readQuery(event, name)))
  })
}

async function comeBack(
  ctx: AuthContext,
  event: H3Event,
  parameter: (name: string) => string | undefined,
): Promise<Answer> {
  const { location, hasState } = await finishExternalSignIn(ctx, {
    state: parameter('state'),
    parameter,
    browser: readBrowser(ctx.config, event),
  })
  return redirectAnswer(hasState ? 302 : 303, location)
}
