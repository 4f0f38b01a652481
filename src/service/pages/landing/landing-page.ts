import type { H3, H3Event } from 'h3'
import { landingPath } from '../../../platform/config/derive-defaults.ts'
import type { Random } from '../../../platform/kit/random.ts'
import { html } from '../html.ts'
import { answerPage, type HtmlPage } from '../page-answer.ts'
import { landingScript } from './landing-script.ts'
import { landingStyle } from './landing-style.ts'

/**
 * Serves the page at which links end in development while no site URL is configured. It reports the
 * result of the link, and the next step of an application. The page itself contains no data; only
 * its script reads the parameters.
 */
export function landingRoute(app: H3, { random }: { random: Random }): void {
  app.get(landingPath, (_event: H3Event) => answerPage(landingPage, random.hex(16)))
}

const landingPage: HtmlPage = {
  title: 'Where links end in development',
  style: landingStyle,
  script: landingScript,
  body: html`<body>
<main>
  <h1 id="what">A link ended here without a result</h1>
  <p id="detail"></p>
  <p id="next">An application would show its first page.</p>
  <p class="aside">Latchkey shows this page in development while no application is configured. Set
  <code>siteUrl</code> (<code>AUTH_SITE_URL</code>), or pass a page in each call: <code>redirectTo</code>,
  <code>emailRedirectTo</code>. This page does not exist in production.</p>
</main>
</body>`,
}
