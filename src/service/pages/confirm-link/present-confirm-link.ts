import type { Deps } from '../../../accounts/auth-context.ts'
import type { Pages } from '../../../endpoints/http/implement.ts'
import { readRedirectTo } from '../../../endpoints/http/read-redirect-to.ts'
import { requireLink } from '../../../endpoints/verify/follow-link.ts'
import { sameOriginOnly } from '../../../platform/http/cors.ts'
import { readLanguages } from '../../../platform/http/read-languages.ts'
import { readQuery } from '../../../platform/http/read-request.ts'
import { bestLanguage } from '../../../platform/kit/languages.ts'
import { answerPage } from '../page-answer.ts'
import { siteNameOf } from '../site-name.ts'
import { confirmLinkPage } from './confirm-link-page.ts'

/**
 * Presents the page of a link that requires a button to be pressed. It queries nothing, so a program that opens the link
 * neither consumes it nor learns whether it is valid.
 */
export const confirmLinkPresenter =
  ({ config, random }: Pick<Deps, 'config' | 'random'>): Pages['confirmLink'] =>
  (event) => {
    const { type, token } = requireLink({
      type: readQuery(event, 'type'),
      token: readQuery(event, 'token'),
    })
    const link = { type, token, redirectTo: readRedirectTo(event).target }
    sameOriginOnly(event)
    const language = bestLanguage(readLanguages(event.req.headers.get('accept-language')))
    return answerPage(confirmLinkPage(link, siteNameOf(config), language), random.hex(16))
  }
