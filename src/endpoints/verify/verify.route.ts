import type { H3Event } from 'h3'
import { presentSignedIn } from '../../accounts/sign-in/issue-session.ts'
import type { Config } from '../../platform/config/config.ts'
import { type Answer, redirectAnswer } from '../../platform/http/answer.ts'
import { readBrowser } from '../../platform/http/browser-cookie.ts'
import { checkBody } from '../../platform/http/check-input.ts'
import { jsonIn } from '../../platform/http/plain-json.ts'
import { type Form, formIn, readQuery } from '../../platform/http/read-request.ts'
import type { Unvalidated } from '../http/endpoint.ts'
import { implementSeparately } from '../http/implement.ts'
import { readRedirectTo } from '../http/read-input.ts'
import { followLink } from './follow-link.ts'
import { type FollowLinkInput, followLinkEndpoint, verifyEndpoint } from './verify.endpoint.ts'
import { verifyToken } from './verify-token.ts'

declare module '../http/implement.ts' {
  interface Pages {
    /** The page whose button submits a mailed link. */
    confirmLink(event: H3Event): Answer
  }
}

export const verifyRoutes = [
  implementSeparately(followLinkEndpoint, {
    page:
      ({ deps: { config }, pages }) =>
      (event) =>
        needsButton(config, readQuery(event, 'type')) ? pages.confirmLink(event) : null,
    handle:
      () =>
      async ({ ctx, event }) => {
        const target = await followLink(ctx, {
          type: readQuery(event, 'type'),
          token: readQuery(event, 'token'),
          redirect: readRedirectTo(event),
          browser: readBrowser(ctx.config, event),
        })
        return redirectAnswer(303, target)
      },
    run: async ({ ctx, input }) => ({ redirectTo: await followLink(ctx, input) }),
    // Programs that check a link before the user opens it send HEAD, which must not consume the
    // link.
    head: () => null,
  }),
  implementSeparately(verifyEndpoint, {
    readBody:
      ({ deps: { config } }) =>
      (text, event) => {
        const sent = formIn(event, text)
        const form = sent && needsButton(config, sent('type')) ? sent : null
        return { form, json: form ? {} : checkBody(jsonIn(text), verifyEndpoint.body) }
      },
    handle:
      () =>
      async ({ ctx, event, input: { form, json } }) => {
        if (form) {
          const browser = readBrowser(ctx.config, event)
          return redirectAnswer(303, await followLink(ctx, { ...linkIn(form), browser }))
        }
        const { type, user, session } = await verifyToken(ctx, json)
        return session ? { ...presentSignedIn({ user, session }), type } : halfway
      },
    run: ({ ctx, input }) => verifyToken(ctx, input),
  }),
] as const

/**
 * Returns whether a link of this type is followed only by a form. That is always so for a link that
 * ends the suspension of a credential: an attacker may have caused the mail, and a program that
 * opens its link would confirm the attacker's passkey.
 */
const needsButton = ({ links }: Pick<Config, 'links'>, type: string | undefined): boolean =>
  links.confirm === 'button' || type === 'credential'

/** The page sends no referrer, so the page that requested the link has no effect here. */
const linkIn = (form: Form): Unvalidated<FollowLinkInput> => ({
  type: form('type'),
  token: form('token'),
  redirect: { target: form('redirect_to') },
})

/**
 * The response when one of two addresses has confirmed a change. The code is a string, as clients
 * expect.
 */
const halfway = {
  msg: 'Confirmation link accepted. Please proceed to confirm link sent to the other email',
  code: '200',
}
