import { randomUUID } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'

// The application around the library of another project. It runs as a process of its own.

const { RP_ISSUER = '', RP_CLIENT_ID = '', RP_CLIENT_SECRET = '', RP_PORT = '' } = process.env

/** The registration of this application at the provider. */
export const registration = {
  issuer: RP_ISSUER,
  clientId: RP_CLIENT_ID,
  clientSecret: RP_CLIENT_SECRET,
  url: `http://127.0.0.1:${RP_PORT}`,
  scope: 'openid email profile offline_access',
}

/** The URL that ends a logout, which is registered, too. */
export const signedOutUrl = `${registration.url}/signed-out`

/** The result of a sign-in. */
export interface SignedIn {
  /** The claims of the ID token, which the library has verified. */
  claims: Record<string, unknown>
  userinfo: Record<string, unknown>
  idToken: string
  refreshToken: string
}

/** The steps of a browser flow, as a library implements them. */
export interface Library<Kept> {
  /** Returns the URL of the provider, and the values that the callback is compared with. */
  begin(): Promise<{ url: URL; kept: Kept }>
  finish(callback: URL, kept: Kept): Promise<SignedIn>
  /** Returns the claims of the user, read with a new access token, and the next refresh token. */
  refresh(token: string): Promise<Pick<SignedIn, 'userinfo' | 'refreshToken'>>
  logoutUrl(idToken: string): URL
}

/** Listens on the registered port, and prints the URL. */
export function listen(handler: RequestListener): void {
  createServer(handler).listen(Number(RP_PORT), '127.0.0.1', () =>
    console.log(`relying party at ${registration.url}`),
  )
}

/** Serves `/login`, `/cb`, `/refresh`, `/logout` and `/signed-out` by a library. */
export function serveLibrary<Kept>(library: Library<Kept>): void {
  const sessions = new Map<string, { kept?: Kept; user?: SignedIn }>()
  listen(async (request, response) => {
    const url = new URL(request.url ?? '', registration.url)
    const [, cookie = ''] = /\brp=([\w-]+)/.exec(request.headers.cookie ?? '') ?? []
    const session = sessions.get(cookie)
    const redirect = (to: URL, headers = {}) =>
      response.writeHead(302, { location: to.href, ...headers }).end()
    const present = (body: unknown, status = 200) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    try {
      if (url.pathname === '/login') {
        const id = randomUUID()
        const { url: to, kept } = await library.begin()
        sessions.set(id, { kept })
        redirect(to, { 'set-cookie': `rp=${id}; HttpOnly; SameSite=Lax` })
      } else if (url.pathname === '/cb' && session?.kept !== undefined) {
        session.user = await library.finish(url, session.kept)
        delete session.kept
        present({ ...session.user, referrer: request.headers.referer ?? null })
      } else if (url.pathname === '/refresh' && session?.user) {
        const renewed = await library.refresh(session.user.refreshToken)
        session.user.refreshToken = renewed.refreshToken
        present(renewed)
      } else if (url.pathname === '/logout' && session?.user) {
        redirect(library.logoutUrl(session.user.idToken))
      } else if (url.pathname === '/signed-out') {
        present({ signedOut: url.searchParams.get('state') })
      } else {
        present({}, 404)
      }
    } catch (error) {
      present(problemOf(error), 500)
    }
  })
}

/** Returns the error of a library, with the code of OAuth where it contains one. */
export const problemOf = (error: unknown): { error: string; message: string } => ({
  error: Object(error).error ?? Object(error).name,
  message: String(error),
})

/** A library without refresh tokens: its application requests new tokens itself. */
export async function refreshByForm(
  token: string,
  method: 'client_secret_basic' | 'client_secret_post',
): Promise<Pick<SignedIn, 'userinfo' | 'refreshToken'>> {
  const { issuer, clientId, clientSecret } = registration
  const isBasic = method === 'client_secret_basic'
  const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64')
  const answer = await fetch(`${issuer}/oauth/token`, {
    method: 'POST',
    headers: isBasic ? { authorization: `Basic ${basic}` } : {},
    body: new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: token,
      ...(!isBasic && { client_id: clientId, client_secret: clientSecret }),
    }),
  })
  const tokens = (await answer.json()) as Record<string, string>
  if (!answer.ok) throw Object.assign(new Error('not renewed'), { error: tokens['error'] })
  const userinfo = await fetch(`${issuer}/oauth/userinfo`, {
    headers: { authorization: `Bearer ${tokens['access_token']}` },
  })
  return {
    userinfo: (await userinfo.json()) as Record<string, unknown>,
    refreshToken: tokens['refresh_token'] ?? '',
  }
}

/** The URL of a logout for a library without one. @see RP-Initiated Logout 1.0 §2 */
export const logoutUrlOf = (idToken: string): URL =>
  new URL(
    `${registration.issuer}/oauth/logout?${new URLSearchParams({
      id_token_hint: idToken,
      post_logout_redirect_uri: signedOutUrl,
      state: 'bye',
    })}`,
  )
