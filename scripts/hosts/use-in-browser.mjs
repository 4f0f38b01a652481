import { cookieName, withExpiredToken } from './session-cookie.mjs'

/**
 * The required pages of an application, whatever its framework:
 *
 * - `/` contains `hello, EMAIL` or `hello, guest`, and a button “Sign out” for a signed-in user;
 * - `/sign-in` has a form of `email` and `password` with one button, and leads to `/`;
 * - `/profile` contains `hello, EMAIL`, and redirects other clients to `/sign-in`;
 * - `/` may have a link “Profile”, and `/about` may be a page that is the same for all clients;
 * - the service is below `/auth`, with cookie sessions of the name `latchkey`.
 *
 * @typedef {object} Visit
 * @property {import('playwright-core').Browser} browser
 * @property {{ email: string, password: string }} credentials of a registered user
 * @property {string} jwtSecret
 * @property {(sessionId: string) => Promise<number>} countRenewals returns the renewals of a
 *   session
 * @property {() => Promise<{ text?: string | undefined }>} nextMail
 */

/**
 * Uses an application as users do, in a browser.
 *
 * @param {string} url its URL, over TLS
 * @param {Visit} visit
 */
export async function useInBrowser(url, visit) {
  const context = await visit.browser.newContext({ baseURL: url, ignoreHTTPSErrors: true })
  const complaints = noteComplaints(context)
  const steps = { signIn, comeToLife, renewOnce, renewWithPage, refuseForeigners, signOut }
  try {
    const page = await context.newPage()
    const hello = `hello, ${visit.credentials.email}`
    for (const [name, step] of Object.entries(steps)) {
      await step({ ...visit, url, context, page, hello })
      if (complaints.length > 0) throw new Error(`errors in the browser at ${name}: ${complaints}`)
    }
  } finally {
    await context.close()
  }
}

/**
 * A step of it.
 *
 * @typedef {Visit & {
 *   url: string,
 *   context: import('playwright-core').BrowserContext,
 *   page: import('playwright-core').Page,
 *   hello: string,
 * }} Step
 */

const signedOut = 'hello, guest'

/**
 * @param {import('playwright-core').Page} page
 * @param {string} text
 */
const shows = (page, text) => page.getByText(text, { exact: true }).waitFor()

/** @param {Step} step */
async function signIn({ page, credentials, hello }) {
  await page.goto('/')
  await shows(page, signedOut)
  await page.goto('/profile')
  await page.waitForURL(isSignIn)
  await page.waitForLoadState('networkidle')
  await page.locator('[name=email]').fill(credentials.email)
  await page.locator('[name=password]').fill(credentials.password)
  await page.getByRole('button').click()
  await page.waitForURL((at) => !isSignIn(at))
  await shows(page, hello)
  const link = page.getByRole('link', { name: 'Profile' })
  if ((await link.count()) === 0) return
  await link.click()
  await page.waitForURL('**/profile')
  await shows(page, hello)
  await page.goBack()
  await shows(page, hello)
}

/**
 * Expects the user in the first HTML, without a script, and no change of it by scripts.
 *
 * @param {Step} step
 */
async function comeToLife({ browser, context, page, url, hello }) {
  const storageState = await context.storageState()
  const unscripted = { baseURL: url, ignoreHTTPSErrors: true, javaScriptEnabled: false }
  const rendered = await browser.newContext({ ...unscripted, storageState })
  const still = await rendered.newPage()
  for (const path of ['/', '/profile']) {
    await still.goto(path)
    const text = (await still.textContent('body')) ?? ''
    if (!text.includes(hello)) throw new Error(`${path} as the server renders it: ${text}`)
  }
  await rendered.close()
  await page.goto('/', { waitUntil: 'networkidle' })
  await shows(page, hello)
}

/** @param {Step} step */
async function renewOnce({ context, page, hello, jwtSecret, countRenewals }) {
  const { sessionId } = await storedSession(context)
  const before = await countRenewals(sessionId)
  await expireAccessToken(context, jwtSecret)
  const paths = Array.from({ length: 20 }, (_, at) => `/profile?${at}`)
  const answers = await Promise.all(paths.map((path) => context.request.get(path)))
  const texts = await Promise.all(answers.map((answer) => answer.text()))
  expectSame('signed in, of 20 requests', texts.filter(containsText(hello)).length, 20)
  expectSame('renewals by 20 requests', (await countRenewals(sessionId)) - before, 1)
  for (const answer of answers) expectUncached(answer)
  await page.goto('/', { waitUntil: 'networkidle' })
  await shows(page, hello)
}

/**
 * Expects one renewal by a page with its resources and prefetched pages, and none by a page that is
 * the same for all clients.
 *
 * @param {Step} step
 */
async function renewWithPage({ context, page, hello, credentials, jwtSecret, countRenewals }) {
  const { sessionId } = await storedSession(context)
  const before = await countRenewals(sessionId)
  await expireAccessToken(context, jwtSecret)
  await page.goto('/', { waitUntil: 'networkidle' })
  await shows(page, hello)
  expectSame('renewals by a page', (await countRenewals(sessionId)) - before, 1)

  await expireAccessToken(context, jwtSecret)
  const about = await context.request.get('/about')
  expectUncached(about)
  // Without such a page, the error page may contain the user.
  if (about.ok() && containsText(credentials.email)(await about.text()))
    throw new Error('/about contains the user')
}

/**
 * Expects that a page of another origin changes nothing, however it causes the cookies to be sent.
 *
 * @param {Step} step
 */
async function refuseForeigners({ context, credentials }) {
  const headers = { origin: 'https://evil.localhost' }
  const form = await context.request.post('/profile', { headers, form: credentials })
  expectSame('a form of another origin', form.status(), 403)
  const wire = await context.request.post('/auth/logout', {
    headers: { ...headers, 'x-use-cookie': '1' },
  })
  expectSame('a sign-out by another origin', wire.status(), 403)
}

/** Expects the other tab to show a sign-out. @param {Step} step */
async function signOut({ context, page, hello }) {
  const tab = await context.newPage()
  await tab.goto('/', { waitUntil: 'networkidle' })
  await shows(tab, hello)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await shows(page, signedOut)
  await shows(tab, signedOut)
  expectSame('cookies after the sign-out', (await sessionCookies(context)).length, 0)
  await page.goto('/profile')
  await page.waitForURL(isSignIn)
}

/**
 * Collects warnings and errors, with which React and Vue report a difference from the server's
 * HTML.
 *
 * @param {import('playwright-core').BrowserContext} context
 */
function noteComplaints(context) {
  /** @type {string[]} */
  const complaints = []
  context.on('console', (message) => {
    // Chromium itself requests it, at any time.
    if (message.location().url.endsWith('/favicon.ico')) return
    if (['warning', 'error'].includes(message.type())) complaints.push(message.text())
  })
  context.on('weberror', (error) => complaints.push(String(error.error())))
  return complaints
}

/** @param {import('playwright-core').BrowserContext} context */
const sessionCookies = async (context) =>
  (await context.cookies()).filter(({ name }) => name.startsWith(cookieName))

/** @param {import('playwright-core').BrowserContext} context */
export async function storedSession(context) {
  const [cookie, ...others] = await sessionCookies(context)
  if (!cookie || others.length > 0) throw new Error(`${others.length} additional cookies`)
  const [, sessionId = ''] = cookie.value.split('.')
  return { cookie, sessionId }
}

/**
 * @param {import('playwright-core').BrowserContext} context
 * @param {string} jwtSecret
 */
export async function expireAccessToken(context, jwtSecret) {
  const { cookie } = await storedSession(context)
  await context.addCookies([{ ...cookie, value: withExpiredToken(cookie.value, jwtSecret) }])
}

const isSignIn = (/** @type {URL} */ { pathname }) => pathname === '/sign-in'

/** Expects that no cache stores a response with cookies. */
function expectUncached(/** @type {import('playwright-core').APIResponse} */ answer) {
  const { 'set-cookie': cookies, 'cache-control': caching = '' } = answer.headers()
  if (cookies && !caching.includes('no-store'))
    throw new Error(`${answer.url()} sets cookies, and may be cached: ${caching}`)
}

/** Returns whether HTML contains a text. React separates texts by comments. */
const containsText = (/** @type {string} */ text) => (/** @type {string} */ html) =>
  html.replaceAll('<!-- -->', '').includes(text)

/**
 * @param {string} what
 * @param {number} actual
 * @param {number} expected
 */
export function expectSame(what, actual, expected) {
  if (actual !== expected) throw new Error(`${what}: ${actual} in place of ${expected}`)
}
