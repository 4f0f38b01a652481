import type { Deps } from '../../../accounts/auth-context.ts'
import type { Pages } from '../../../endpoints/http/implement.ts'
import { bindBrowser } from '../../../platform/http/browser-cookie.ts'
import { sameOriginOnly } from '../../../platform/http/cors.ts'
import { readLanguages } from '../../../platform/http/read-languages.ts'
import { bestLanguage } from '../../../platform/kit/languages.ts'
import { answerPage } from '../page-answer.ts'
import { siteNameOf } from '../site-name.ts'
import { confirmLinkingPage } from './confirm-linking-page.ts'

/** Presents the page that confirms the linking of an identity, with the cookie that binds its form to the browser. */
export const confirmLinkingPresenter =
  ({ config, random }: Pick<Deps, 'config' | 'random'>): Pages['confirmLinking'] =>
  (event, confirmation) => {
    sameOriginOnly(event)
    const language = bestLanguage(readLanguages(event.req.headers.get('accept-language')))
    const page = confirmLinkingPage(confirmation, siteNameOf(config), language)
    const answer = answerPage(page, random.hex(16))
    answer.headers['set-cookie'] = bindBrowser(config, confirmation.browser)
    return answer
  }
