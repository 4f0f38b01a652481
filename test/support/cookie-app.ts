import { once } from 'node:events'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { build } from 'esbuild'
import { toNode } from '../../src/hosts/adapters/node.ts'
import {
  type CookieSessions,
  openCookieSessions,
} from '../../src/hosts/cookie-sessions/cookie-sessions.ts'
import type { RequestSession } from '../../src/hosts/cookie-sessions/request-session.ts'
import { imports, readScript } from './client-app.ts'
import { type MessagingAuth, startMessagingAuth } from './messages.ts'
import { selfSigned } from './self-signed.ts'

/**
 * An application that renders the signed-in user, with the service below `/auth`, and the page of
 * an attacker beside it.
 */
export interface CookieApp {
  auth: MessagingAuth
  /** `https://app.localhost:…`. */
  url: string
  /** An empty page of a subdomain. */
  evilUrl: string
  /** The URL of another subdomain, which redirects to `/me`. */
  bounceUrl: string
  /** The number of session renewals. */
  renewals(): Promise<number>
  close(): Promise<void>
}

export async function startCookieApp(): Promise<CookieApp> {
  const script = await bundleClient()
  let sessions: CookieSessions
  const app = toNode({ app: { fetch: (request) => answer(sessions, script, request) } })
  const server = createServer(selfSigned, app as never).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const url = `https://app.localhost:${port}`
  // Browsers have the time of this machine, so the tests start with it.
  const auth = await startMessagingAuth({
    siteUrl: url,
    externalUrl: url,
    basePath: '/auth',
    email: { autoconfirm: true, maxFrequencySeconds: 0 },
  })
  auth.clock.advance((Date.now() - auth.clock.now().getTime()) / 1000)
  sessions = openCookieSessions(auth.auth, { origin: url }, auth.clock)
  return {
    auth,
    url,
    bounceUrl: `https://other.app.localhost:${port}/bounce`,
    evilUrl: `https://evil.app.localhost:${port}/evil`,
    renewals: async () =>
      (await auth.auth.admin.listAudit({ action: 'token_refreshed' })).entries.length,
    close: () => close(server, auth),
  }
}

async function close(server: Server, auth: MessagingAuth): Promise<void> {
  server.closeAllConnections()
  server.close()
  await auth.close()
}

/** Bundles the client as an application does. Imports of Node fail. */
async function bundleClient(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, '../../src/hosts/client/page-client.ts')],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
  })
  return outputFiles[0]?.text ?? ''
}

async function answer(
  sessions: CookieSessions,
  script: string,
  request: Request,
): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url)
  if (pathname.startsWith('/auth/')) return sessions.fetch(request)
  if (pathname === '/evil') return html('<title>Evil</title>')
  if (pathname === '/bounce') {
    const { protocol, port } = new URL(request.url)
    return new Response(null, {
      status: 307,
      headers: { location: `${protocol}//app.localhost:${port}/me` },
    })
  }
  const library = pathname === '/client.js' ? script : readScript(pathname)
  if (library !== null)
    return new Response(library, { headers: { 'content-type': 'text/javascript' } })
  try {
    const session = await sessions.open(request)
    const response = await render(session, request.method, pathname, searchParams)
    session.addHeaders(response.headers)
    return response
  } catch (error) {
    return new Response((error as Error).message, {
      status: (error as { status?: number }).status ?? 500,
    })
  }
}

async function render(
  session: RequestSession,
  method: string,
  pathname: string,
  query: URLSearchParams,
): Promise<Response> {
  const email = session.viewer?.claims.email ?? 'nobody'
  if (pathname === '/me') return Response.json({ email, method })
  if (pathname === '/callback') {
    await session.exchangeCode(query.get('code') ?? '', query.get('sb_flow_id'))
    return new Response(null, { status: 303, headers: { location: '/' } })
  }
  return html(pageOf(email, query.has('given') ? session.forPage() : undefined))
}

const html = (body: string): Response =>
  new Response(body, { headers: { 'content-type': 'text/html; charset=utf-8' } })

const pageOf = (email: string, session: unknown): string => `<!doctype html>
<title>Application</title>
<link rel="icon" href="data:,">
<script type="importmap">${JSON.stringify({ imports: { ...imports, 'latchkey/client': '/client.js' } })}</script>
<p id="server">${email}</p>
<p id="page"></p>
<script type="module">
import { AuthClient } from '@supabase/auth-js'
import { pageClientOptions } from 'latchkey/client'
const client = new AuthClient(pageClientOptions({ session: ${JSON.stringify(session)} }))
globalThis.client = client
const say = (session) => { document.querySelector('#page').textContent = session ? session.user.email : 'nobody' }
client.onAuthStateChange((_event, session) => say(session))
</script>
`
