import type { H3, H3Event } from 'h3'
import { developerRoot, requireLocalAccess } from '../../../endpoints/http/local-access.ts'
import type { Config } from '../../../platform/config/config.ts'
import { landingPath } from '../../../platform/config/derive-defaults.ts'
import { readQuery } from '../../../platform/http/read-request.ts'
import type { Random } from '../../../platform/kit/random.ts'
import { withoutTrailingSlashes } from '../../../platform/kit/trailing-slashes.ts'
import { html, type Markup } from '../html.ts'
import { mailboxStyle } from '../mailbox/mailbox-style.ts'
import { answerPage, type HtmlPage } from '../page-answer.ts'

/**
 * Serves the page at which links end in development while no site URL is configured. It reports the
 * result of the link, and the next step of an application. The page itself contains no data; only
 * its script reads the parameters.
 */
export function landingRoute(app: H3, { random }: { random: Random }): void {
  app.get(landingPath, (_event: H3Event) => answerPage(landingPage, random.hex(16)))
}

/** The style of the pages that link developers and their mailed links to other pages. */
const landingStyle = `${mailboxStyle}
main { display: block; max-width: 40rem; margin: 12vh auto; padding: 0 1.25rem; }
h1 { font-size: 1.4rem; margin-bottom: .75rem; }
p { margin-bottom: .75rem; overflow-wrap: anywhere; }
ul { list-style: none; padding: 0; margin-bottom: 1rem; }
li { padding: .5rem 0; }
li a, p a { color: var(--accent); text-decoration: underline; }
li a { font-weight: 600; }
li span { display: block; color: var(--soft); }
.aside { color: var(--soft); border-top: 1px solid var(--line); padding-top: .75rem; }
code { font-family: var(--mono); font-size: .92em; }
`

/**
 * Reports the parameters of the redirect, in the fragment or the query, and removes them from the
 * address. It sets only texts, so no parameter becomes part of the HTML.
 */
const landingScript = `
const given = new URLSearchParams(location.hash.slice(1))
for (const [name, value] of new URLSearchParams(location.search)) if (!given.has(name)) given.set(name, value)
history.replaceState(null, '', location.pathname)

const setText = (id, text) => { document.getElementById(id).textContent = text }
const purposes = {
  signup: 'Sign-up confirmed: the user is signed in',
  invite: 'Invitation accepted: the user is signed in',
  recovery: 'The user is signed in to set a new password',
  magiclink: 'The user is signed in',
  email_change: 'Address changed: the user is signed in',
}
const emailIn = (token) => {
  try {
    const claims = atob(token.split('.')[1].replaceAll('-', '+').replaceAll('_', '/'))
    return JSON.parse(decodeURIComponent(escape(claims))).email || null
  } catch { return null }
}

if (given.has('error') || given.has('error_code')) {
  setText('what', 'The link could not be used')
  setText('detail', (given.get('error_description') || '') + ' (' + (given.get('error_code') || given.get('error')) + ')')
  setText('next', 'An application would report this and offer to send another mail. A link works once, and expires.')
} else if (given.has('access_token')) {
  const email = emailIn(given.get('access_token'))
  setText('what', purposes[given.get('type')] || 'The user is signed in')
  setText('detail', (email ? 'As ' + email + '. ' : '') + 'The fragment of the address contains the session: access_token, refresh_token, expires_in.')
  setText('next', given.get('type') === 'recovery'
    ? 'An application would now prompt for the new password and call updateUser({ password }).'
    : 'In an application, the client of @supabase/auth-js reads it, stores the session and calls onAuthStateChange.')
} else if (given.has('code')) {
  setText('what', 'The link was accepted, and returned a code')
  setText('detail', 'It works once, with the code verifier that the application stored with its request (PKCE).')
  setText('next', 'An application would call exchangeCodeForSession(code), which the client of @supabase/auth-js does by itself.')
} else if (given.has('message')) {
  setText('what', 'The link was accepted')
  setText('detail', given.get('message'))
  setText('next', 'An application would show this message.')
}
`

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
const rootOf = ({ url }: H3Event): string => withoutTrailingSlashes(url.pathname)

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
