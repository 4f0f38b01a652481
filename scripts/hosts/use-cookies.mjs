import { cookieName, withExpiredToken } from './session-cookie.mjs'

/**
 * @typedef {object} CookieVisit
 * @property {{ email: string, password: string }} credentials of a registered user
 * @property {string} origin of the application's pages
 * @property {string} jwtSecret
 * @property {(sessionId: string) => Promise<number>} countRenewals returns the renewals of a
 *   session
 */

/**
 * Uses an application with sessions in cookies as a browser does: the server renders the user of
 * `/`, whatever the age of the access token, and a page of another origin changes nothing.
 *
 * @param {string} url the URL of the application
 * @param {CookieVisit} visit
 */
export async function useCookies(url, { credentials, origin, jwtSecret, countRenewals }) {
  const isHello = (/** @type {{ text: string }} */ { text }) =>
    text.includes(`hello, ${credentials.email}`)
  const signedOut = await render(url, '')
  if (!signedOut.text.includes('hello, guest')) throw new Error(signedOut.text)

  const signIn = await fetch(`${url}/auth/token?grant_type=password`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json', 'x-use-cookie': '1' },
    body: JSON.stringify(credentials),
  })
  const { refresh_token: fromLogin } = /** @type {any} */ (await signIn.json())
  const value = sessionIn(signIn)
  const [, sessionId = '', refreshToken] = value?.split('.') ?? []
  if (!value || fromLogin === refreshToken) throw new Error(`the sign-in returned ${signIn.status}`)
  const signedIn = await render(url, value)
  if (!isHello(signedIn)) throw new Error(`with cookies: ${signedIn.text}`)
  if (sessionIn(signedIn.answer)) throw new Error('a valid session was renewed')

  const before = await countRenewals(sessionId)
  const expired = withExpiredToken(value, jwtSecret)
  const all = await Promise.all(Array.from({ length: 20 }, () => render(url, expired)))
  const greeted = all.filter(isHello).length
  const renewals = (await countRenewals(sessionId)) - before
  if (greeted !== 20 || renewals !== 1)
    throw new Error(`of 20 requests with an expired token ${greeted} and ${renewals} renewals`)
  for (const { answer } of all) {
    if (!sessionIn(answer)) throw new Error('the response does not set the renewed session')
    if (!answer.headers.get('cache-control')?.includes('no-store'))
      throw new Error('a renewed session may be cached')
  }

  const foreign = await fetch(url, {
    method: 'POST',
    headers: {
      cookie: `${cookieName}=${value}`,
      origin: 'https://evil.example',
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: 'a=b',
  })
  // Some hosts reject it before Latchkey does, with their own status.
  if (![400, 403].includes(foreign.status))
    throw new Error(`a form of another origin: ${foreign.status}`)
}

/**
 * @param {string} url
 * @param {string} session
 */
async function render(url, session) {
  const answer = await fetch(url, {
    headers: session ? { cookie: `${cookieName}=${session}` } : {},
  })
  // React separates texts by comments.
  return { answer, text: (await answer.text()).replaceAll('<!-- -->', '') }
}

/** Returns the session that a response sets. */
function sessionIn(/** @type {Response} */ answer) {
  const set = answer.headers.getSetCookie().find((one) => one.startsWith(`${cookieName}=`))
  return set?.slice(cookieName.length + 1).split(';')[0]
}
