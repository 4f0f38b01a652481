import type { Deps } from '../../../accounts/auth-context.ts'
import type { Pages } from '../../../endpoints/http/implement.ts'
import { readRedirectTo } from '../../../endpoints/http/read-input.ts'
import { requireLink } from '../../../endpoints/verify/follow-link.ts'
import { sameOriginOnly } from '../../../platform/http/cors.ts'
import { readLanguages } from '../../../platform/http/read-languages.ts'
import { readQuery } from '../../../platform/http/read-request.ts'
import { bestLanguage, type Language } from '../../../platform/kit/languages.ts'
import { html, type Markup } from '../html.ts'
import { answerPage, type HtmlPage } from '../page-answer.ts'
import { siteNameOf } from '../site-name.ts'
import { confirmLinkStyle } from './confirm-link-style.ts'
import { type ConfirmLinkTexts, confirmLinkTexts } from './confirm-link-texts.ts'

/** A mailed link as the browser opened it, not validated yet. */
export interface OpenedLink {
  type: string
  token: string
  redirectTo: string | undefined
}

/** Returns a page with a button, which submits the link as a form. */
function confirmLinkPage(link: OpenedLink, siteName: string, language: Language): HtmlPage {
  const texts = confirmLinkTexts[language]
  const { heading, button } = purposeOf(texts, link.type)
  return {
    title: `${heading} – ${siteName}`,
    language,
    direction: texts.direction,
    style: confirmLinkStyle,
    script: confirmLinkScript,
    submits: true,
    body: html`<body>
<p class="site">${siteName}</p>
<main>
<h1>${heading}</h1>
<p>${texts.message}</p>
<form method="post" action="?">
${fieldsOf(link)}
<button type="submit">${button}</button>
</form>
<p class="closing">${texts.closing}</p>
</main>
</body>`,
  }
}

function purposeOf({ purposes, otherwise }: ConfirmLinkTexts, type: string) {
  return Object.hasOwn(purposes, type) ? purposes[type as keyof typeof purposes] : otherwise
}

const fieldsOf = ({ type, token, redirectTo }: OpenedLink): Markup[] => [
  hidden('type', type),
  hidden('token', token),
  ...(redirectTo === undefined ? [] : [hidden('redirect_to', redirectTo)]),
]

const hidden = (name: string, value: string): Markup =>
  html`<input type="hidden" name="${name}" value="${value}">`

/**
 * A second click would submit a consumed link. A user who navigates back may press the button
 * again.
 */
const confirmLinkScript = `
const button = document.querySelector('button')
document.querySelector('form').addEventListener('submit', () => { button.disabled = true })
addEventListener('pageshow', () => { button.disabled = false })
`

/**
 * Presents the page of a link that requires a button. It queries nothing, so a program that opens
 * the link neither consumes it nor learns whether it is valid.
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
