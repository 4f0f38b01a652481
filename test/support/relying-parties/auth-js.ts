import { Auth, type AuthConfig } from '@auth/core'
import { getRequestListener } from '@hono/node-server'
import {
  listen,
  logoutUrlOf,
  problemOf,
  refreshByForm,
  registration,
  type SignedIn,
} from './relying-party.ts'

// Auth.js, the core of `next-auth`, with the provider as a generic one of OpenID Connect.

const { issuer, clientId, clientSecret, url, scope } = registration
/** The tokens of the one user of this application. */
let user: SignedIn | null = null

const config: AuthConfig = {
  basePath: '/auth',
  secret: 'a secret of a test, which has more than 32 bytes',
  trustHost: true,
  providers: [
    {
      id: 'latchkey',
      name: 'Latchkey',
      type: 'oidc',
      issuer,
      clientId,
      clientSecret,
      checks: ['pkce', 'state', 'nonce'],
      authorization: { params: { scope } },
      // The library reads the claims of the ID token, unless it has to request those of the user.
      idToken: false,
    },
  ],
  callbacks: {
    jwt: ({ token, account, profile }) => {
      if (account) {
        const { id_token: idToken = '', refresh_token: refreshToken = '' } = account
        const payload = Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString()
        user = { claims: JSON.parse(payload), userinfo: { ...profile }, idToken, refreshToken }
      }
      return token
    },
    redirect: () => `${url}/cb`,
  },
  logger: { error: (error) => console.log(`Auth.js: ${error.name} ${error.cause?.err}`) },
}

const json = (body: unknown, status = 200) => Response.json(body, { status })

async function answer(request: Request): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url)
  if (pathname.startsWith('/auth')) return Auth(request, config)
  if (pathname === '/login') return Response.redirect(`${url}/auth/signin`)
  if (pathname === '/signed-out') return json({ signedOut: searchParams.get('state') })
  if (user === null) return json({}, 401)
  if (pathname === '/cb') return json(user)
  if (pathname === '/logout') return Response.redirect(logoutUrlOf(user.idToken))
  const renewed = await refreshByForm(user.refreshToken, 'client_secret_basic')
  user.refreshToken = renewed.refreshToken
  return json(renewed)
}

listen(
  getRequestListener((request) =>
    answer(request).catch((error: unknown) => json(problemOf(error), 500)),
  ),
)
