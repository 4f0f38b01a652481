import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { toNode } from '../../src/hosts/adapters/node.ts'
import { openCookieSessions } from '../../src/hosts/cookie-sessions/cookie-sessions.ts'
import type { AuthConfig } from '../../src/platform/config/config.ts'
import { type DeliveredMessage, type MessagingAuth, startMessagingAuth } from './messages.ts'
import { locationOf, oauthOf } from './oauth-clients.ts'
import { requestMethods, type TestAuth } from './test-auth.ts'

const certificate = (file: string) =>
  readFileSync(new URL(`certificate/${file}`, import.meta.url), 'utf8')
const localhostCertificate = {
  key: certificate('localhost.key.pem'),
  cert: certificate('localhost.pem'),
}

/** An application with the pages of the service below `/auth`, and the page of an attacker. */
export interface PagesApp {
  auth: MessagingAuth
  /** `https://app.localhost:…`, or `localhost`. Its first page names the user of the session. */
  url: string
  /** The URL of the mount. */
  pages: string
  /** A page of another site, whose form submits to any URL: `?to=…`. */
  evilUrl: string
  /** Returns the URL of a mailed link. */
  linkOf(message: DeliveredMessage): string
  close(): Promise<void>
}

/**
 * @param config may depend on the URL of the application.
 * @param hostname `localhost` has a certificate that other processes may trust: `localhost.pem`.
 */
export async function startPagesApp(
  config: AuthConfig | ((url: string) => AuthConfig | Promise<AuthConfig>) = {},
  hostname: 'app.localhost' | 'localhost' = 'app.localhost',
): Promise<PagesApp> {
  let handle: ReturnType<typeof toNode>
  const server = createServer(localhostCertificate, (request, response) =>
    handle(request, response as never),
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const url = `https://${hostname}:${port}`
  const given = typeof config === 'function' ? await config(url) : config
  const auth = await startMessagingAuth({
    siteUrl: url,
    basePath: '/auth',
    ...given,
    email: { maxFrequencySeconds: 0, ...given.email },
    pages: { enabled: true, name: 'Acme', ...given.pages },
  })
  // Browsers have the time of this machine, so the tests start with it.
  auth.clock.advance((Date.now() - auth.clock.now().getTime()) / 1000)
  const sessions = openCookieSessions(auth.auth, { origin: url }, auth.clock)
  const mounted = toNode(auth.auth)
  const application = toNode({
    app: {
      fetch: async (request) => {
        const { hostname, searchParams } = new URL(request.url)
        if (hostname.startsWith('evil')) return evilPage(searchParams)
        const session = await sessions.open(request)
        const name = session.viewer?.claims.email || session.viewer?.userId || 'nobody'
        const response = page(`<h1>Application</h1><p id="user">${name}</p>`)
        session.addHeaders(response.headers)
        return response
      },
    },
  })
  handle = (request, response) => {
    const isMounted =
      request.url?.startsWith('/auth') && !String(request.headers['host']).startsWith('evil')
    return (isMounted ? mounted : application)(request, response)
  }
  return {
    auth,
    url,
    pages: `${url}/auth`,
    evilUrl: `https://evil.localhost:${port}/`,
    linkOf: ({ hash, type, redirectTo }) =>
      `${url}/auth/verify?${new URLSearchParams({ token: hash, type, redirect_to: redirectTo })}`,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await auth.close()
    },
  }
}

/** Starts an authorization request. Returns the path of its page. */
export async function consentPath(app: PagesApp): Promise<string> {
  const request: TestAuth['request'] = (method, path, options) =>
    app.auth.request(method, `/auth${path}`, options)
  const oauth = oauthOf({ ...requestMethods(request), given: app.auth.given })
  const begun = await oauth.authorize(await oauth.client(), { scope: 'email profile' })
  return locationOf(begun).href.replace(app.pages, '')
}

/** A page that submits the fields of its query to the URL in `to`, by a click. */
function evilPage(query: URLSearchParams): Response {
  const to = query.get('to') ?? ''
  const fields = [...query].filter(([name]) => name !== 'to')
  const inputs = fields.map(([name, value]) => `<input name="${name}" value="${value}">`).join('')
  return page(`<form method="post" action="${to}">${inputs}<button>Win</button></form>`)
}

const page = (body: string): Response =>
  new Response(`<!doctype html><title>Application</title><link rel="icon" href="data:,">${body}`, {
    headers: { 'content-type': 'text/html; charset=utf-8' },
  })
