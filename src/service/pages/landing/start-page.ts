import type { H3, H3Event } from 'h3'
import { developerRoot, requireLocalAccess } from '../../../endpoints/http/local-access.ts'
import type { Config } from '../../../platform/config/config.ts'
import { readQuery } from '../../../platform/http/read-request.ts'
import type { Random } from '../../../platform/kit/random.ts'
import { html, type Markup } from '../html.ts'
import { answerPage, type HtmlPage } from '../page-answer.ts'
import { landingStyle } from './landing-page.ts'

/** Returns the URL of the first page for a browser, which may then open the mailbox. */
export const startUrl = (serviceUrl: string, token: string): string =>
  `${serviceUrl}/?token=${token}`

interface Needs {
  config: Pick<Config, 'pages'>
  random: Random
  /** Whether messages are shown in the mailbox. */
  hasMailbox: boolean
  token: string
}

/**
 * Serves the first page of a development server, which links to the pages of users and developers.
 * It contains no data. With the token of the start in its URL it stores the cookie that the mailbox
 * requires.
 */
export function startRoute(app: H3, { config, random, hasMailbox, token }: Needs): void {
  app.get('/', (event: H3Event) => {
    const isEntry = readQuery(event, 'token') !== undefined
    const entry = isEntry ? requireLocalAccess(event, token) : undefined
    return entry ?? answerPage(startPage(rootOf(event), config, hasMailbox), random.hex(16))
  })
}

/** Returns the path at which the application mounts the service, without a slash at its end. */
const rootOf = ({ url }: H3Event): string => url.pathname.replace(/\/+$/, '')

const startPage = (root: string, { pages }: Needs['config'], hasMailbox: boolean): HtmlPage => ({
  title: 'Latchkey in development',
  style: landingStyle,
  body: html`<body>
<main>
  <h1>Latchkey is running</h1>
  <ul>
${
  pages.enabled &&
  html`${entry(`${root}/sign-up`, 'Sign up', 'Create a first user.')}
${entry(`${root}/sign-in`, 'Sign in', 'With every method that is enabled.')}
${entry(`${root}/account`, 'Account', 'Profile, security, sessions and data of the signed-in user.')}`
}
${hasMailbox && entry(`${root}${developerRoot}/mail`, 'Mailbox', 'Shows messages instead of sending them. Open the address in the terminal once.')}
${pages.enabled && entry(`${root}${developerRoot}/components`, 'Components', 'All parts of the pages, for changes of their style.')}
  </ul>
  <p class="aside">This page does not exist in production.</p>
</main>
</body>`,
})

const entry = (path: string, label: string, description: string): Markup =>
  html`<li><a href="${path}">${label}</a> <span>${description}</span></li>`
