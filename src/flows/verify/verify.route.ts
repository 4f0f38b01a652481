import type { H3 } from 'h3'
import { object } from 'superstruct'
import type { Deps } from '../../deps.ts'
import { limitClient } from '../../guards/limit-client.ts'
import { maxPlainBodyBytes } from '../../http/body-limit.ts'
import { checkInput } from '../../http/check-input.ts'
import { Text } from '../../http/inputs.ts'
import { openContext } from '../../http/open-context.ts'
import { presentSession } from '../../http/present-session.ts'
import { presentUser } from '../../http/present-user.ts'
import { type Form, formIn } from '../../http/read-form.ts'
import { jsonIn } from '../../http/read-json.ts'
import { readRedirectTo } from '../../http/read-redirect-to.ts'
import { readQuery } from '../../http/read-request.ts'
import { readText } from '../../http/read-text.ts'
import { seeOther } from '../../http/see-other.ts'
import { followLink, type LinkInput } from './follow-link.ts'
import { verifyToken } from './verify-token.ts'

/** Body of `POST /verify`, as it travels. */
const VerifyBody = object({
  type: Text,
  token: Text,
  token_hash: Text,
  email: Text,
  phone: Text,
  password: Text,
  redirect_to: Text,
})

/** `GET /verify`: what a mailed link leads to. It sends the browser on with what came of it. */
export function followLinkRoute(app: H3, deps: Deps): void {
  app.get('/verify', async (event) => {
    const ctx = openContext(deps, event)
    await limitClient(ctx, 'verify')

    const target = await followLink(ctx, {
      type: readQuery(event, 'type'),
      token: readQuery(event, 'token'),
      redirect: readRedirectTo(event),
    })
    return seeOther(target)
  })
  // Whoever looks at a link before they show it to people asks so, and must not use it up.
  app.head('/verify', () => null)
}

/**
 * `POST /verify`: trades a code or a link's secret for a session. Where a button has to be pressed, its
 * form comes here, and sends the browser on as the link does elsewhere.
 */
export function verifyRoute(app: H3, deps: Deps): void {
  app.post('/verify', async (event) => {
    const ctx = openContext(deps, event)
    await limitClient(ctx, 'verify')
    const text = await readText(event, maxPlainBodyBytes)
    const form = deps.config.links.confirm === 'button' ? formIn(event, text) : null
    if (form) return seeOther(await followLink(ctx, linkIn(form)))
    const body = checkInput(jsonIn(text), VerifyBody)

    const { type, account, session } = await verifyToken(ctx, {
      type: body.type,
      token: body.token,
      tokenHash: body.token_hash,
      email: body.email,
      phone: body.phone,
      password: body.password,
      redirectTo: body.redirect_to,
    })
    return session ? { ...presentSession(presentUser(account), session), type } : halfway
  })
}

/** The page tells nobody where it is, so the page that asked counts for nothing here. */
const linkIn = (form: Form): LinkInput => ({
  type: form('type'),
  token: form('token'),
  redirect: { target: form('redirect_to') },
})

/** One of two addresses has confirmed a change; the code is a text here, and always was. */
const halfway = {
  msg: 'Confirmation link accepted. Please proceed to confirm link sent to the other email',
  code: '200',
}
