import type { Deps } from '../../../accounts/auth-context.ts'
import type { PendingLink } from '../../../endpoints/external-sign-in/link-confirmation.ts'
import type { Pages } from '../../../endpoints/http/implement.ts'
import { bindBrowser } from '../../../platform/http/browser-cookie.ts'
import { sameOriginOnly } from '../../../platform/http/cors.ts'
import { bestLanguage, type Language, readLanguages } from '../../../platform/kit/languages.ts'
import { html } from '../html.ts'
import { answerPage, type HtmlPage, siteNameOf } from '../page-answer.ts'
import { confirmLinkStyle } from './confirm-link-page.ts'
import { confirmLinkingTexts } from './confirm-texts.ts'

/**
 * The page that confirms the linking of an identity. Its form is submitted to the URL of the page.
 */
function confirmLinkingPage(
  { secret, provider, account }: PendingLink,
  siteName: string,
  language: Language,
): HtmlPage {
  const texts = confirmLinkingTexts[language]
  const heading = texts.heading(provider.label)
  return {
    title: `${heading} – ${siteName}`,
    language,
    direction: texts.direction,
    style: confirmLinkingStyle,
    script: confirmLinkingScript,
    submits: true,
    reportsOrigin: true,
    body: html`<body>
<p class="site">${siteName}</p>
<main>
<h1>${heading}</h1>
<dl>
<dt>${texts.providerAccount(provider.label)}</dt>
<dd><bdi>${provider.account}</bdi></dd>
<dt>${texts.ownAccount(siteName)}</dt>
<dd><bdi>${account.kind === 'address' ? account.address : texts[account.kind]}</bdi></dd>
</dl>
<p>${texts.effect(provider.label, siteName)}</p>
<p class="warning">${texts.warning(siteName)}</p>
<form method="post" action="?">
<input type="hidden" name="confirmation" value="${secret}">
<button type="submit" name="decision" value="link">${texts.link}</button>
<button type="submit" name="decision" value="cancel" class="second">${texts.cancel}</button>
</form>
</main>
</body>`,
  }
}

const confirmLinkingStyle = `${confirmLinkStyle}
dl { margin-bottom: 20px; }
dt { font-size: 14px; color: var(--quiet); }
dd { margin-bottom: 12px; font-weight: 600; color: var(--strong); }
.warning { margin-top: 16px; font-weight: 600; color: var(--strong); }
form { display: flex; flex-wrap: wrap; gap: 12px; margin-bottom: 0; }
.second { background: transparent; color: var(--normal); border: 1px solid var(--quiet); }
`

/**
 * A second click would submit a form whose secret is consumed. The pressed button is part of the
 * form, so both are disabled after it is read. For a moment after the page appears neither works: a
 * click may have been meant for another window above it.
 */
const confirmLinkingScript = `
const buttons = document.querySelectorAll('button')
const disable = (isDisabled) => { for (const button of buttons) button.disabled = isDisabled }
let timer
const pause = () => {
  disable(true)
  clearTimeout(timer)
  timer = setTimeout(disable, 500, false)
}
document.querySelector('form').addEventListener('submit', () => {
  clearTimeout(timer)
  setTimeout(disable, 0, true)
})
addEventListener('pageshow', pause)
addEventListener('focus', pause)
`

/**
 * Presents the page that confirms the linking of an identity, with the cookie that binds its form
 * to the browser.
 */
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
