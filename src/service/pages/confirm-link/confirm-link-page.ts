import type { Deps } from '../../../accounts/auth-context.ts'
import type { Pages } from '../../../endpoints/http/implement.ts'
import { readRedirectTo } from '../../../endpoints/http/read-input.ts'
import { requireLink } from '../../../endpoints/verify/follow-link.ts'
import { sameOriginOnly } from '../../../platform/http/cors.ts'
import { readQuery } from '../../../platform/http/read-request.ts'
import { bestLanguage, type Language, readLanguages } from '../../../platform/kit/languages.ts'
import { html, type Markup } from '../html.ts'
import { answerPage, type HtmlPage, siteNameOf } from '../page-answer.ts'
import { type ConfirmLinkTexts, confirmLinkTexts } from './confirm-texts.ts'

/** A mailed link as the browser opened it, not validated yet. */
interface OpenedLink {
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

/**
 * The style of the mails that contain the link, in both color schemes, for windows of 320 pixels
 * and more.
 */
export const confirmLinkStyle = `
:root {
  color-scheme: light dark;
  --page: light-dark(#f2f4f7, #0f1115);
  --card: light-dark(#ffffff, #191c23);
  --line: light-dark(#e3e6eb, #2c313b);
  --strong: light-dark(#14171f, #f4f6fa);
  --normal: light-dark(#3b4252, #ccd1db);
  --quiet: light-dark(#5f6b7d, #98a1b0);
  --fill: light-dark(#2b50d8, #4563e6);
}
* { box-sizing: border-box; margin: 0; }
html { height: 100%; -webkit-text-size-adjust: 100%; }
body {
  min-height: 100%; display: grid; place-content: center; grid-template-columns: minmax(0, 520px);
  gap: 20px; padding: 40px 16px; background: var(--page); color: var(--normal);
  font: 16px/1.6 system-ui, -apple-system, 'Segoe UI', Roboto, 'Open Sans', sans-serif;
}
.site { padding: 0 8px; font-size: 15px; font-weight: 600; overflow-wrap: anywhere; }
main { padding: 40px; background: var(--card); border: 1px solid var(--line); border-radius: 14px; overflow-wrap: anywhere; }
h1 { margin-bottom: 16px; text-wrap: balance; font-size: 24px; line-height: 1.3; font-weight: 700; letter-spacing: -.3px; color: var(--strong); }
form { margin: 28px 0; }
button {
  min-height: 50px; padding: 12px 28px; border: 0; border-radius: 9px; background: var(--fill); color: #fff;
  font: inherit; font-weight: 600; cursor: pointer;
}
button:hover { filter: brightness(1.08); }
button:disabled { opacity: .6; cursor: default; }
button:focus-visible { outline: 3px solid var(--fill); outline-offset: 3px; }
.closing { padding-top: 20px; border-top: 1px solid var(--line); font-size: 14px; color: var(--quiet); }
@media (max-width: 480px) {
  body { padding: 24px 12px; }
  main { padding: 28px 22px; }
  button { width: 100%; }
}
`
