import type { H3 } from 'h3'
import type { Config } from '../../config/config.ts'
import type { Deps } from '../../deps.ts'
import { requireLink } from '../../flows/verify/follow-link.ts'
import { sameOriginOnly } from '../../http/cors.ts'
import { readLanguages } from '../../http/read-languages.ts'
import { readRedirectTo } from '../../http/read-redirect-to.ts'
import { readQuery } from '../../http/read-request.ts'
import { bestLanguage } from '../../messages/email/languages.ts'
import { answerPage } from '../page-answer.ts'
import { confirmLinkPage } from './confirm-link-page.ts'

/**
 * `GET /verify` where links want a button to be pressed. Nothing is looked up, so nothing is spent and
 * nothing is told of a link, however often a program opens it.
 */
export function confirmLinkRoute(app: H3, { config, random }: Deps): void {
  app.get('/verify', (event) => {
    sameOriginOnly(event)
    const { type, token } = requireLink({
      type: readQuery(event, 'type'),
      token: readQuery(event, 'token'),
    })
    const link = { type, token, redirectTo: readRedirectTo(event).target }
    const language = bestLanguage(readLanguages(event.req.headers.get('accept-language')))
    return answerPage(confirmLinkPage(link, siteNameOf(config), language), random.hex(16))
  })
}

/** As in the mails that lead here. */
const siteNameOf = ({ email, siteUrl }: Config): string =>
  email.from.name ?? URL.parse(siteUrl)?.host ?? siteUrl
