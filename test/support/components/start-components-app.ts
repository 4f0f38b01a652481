import { once } from 'node:events'
import { createServer } from 'node:https'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { toNode } from '../../../src/hosts/adapters/node.ts'
import { openCookieSessions } from '../../../src/hosts/cookie-sessions/cookie-sessions.ts'
import { type MessagingAuth, startMessagingAuth } from '../messages.ts'
import { selfSigned } from '../self-signed.ts'
import { bundle } from './bundle.ts'
import type { PageState } from './page-window.ts'

export const frameworks = ['react', 'vue', 'svelte'] as const

type Render = (url: string, state: PageState) => Promise<{ html: string } | { redirect: string }>

/** An application whose pages, `/react`, `/vue` and `/svelte`, are rendered by each framework. */
export interface ComponentsApp {
  auth: MessagingAuth
  /** `https://app.localhost:…`. */
  url: string
  close(): Promise<void>
}

export async function startComponentsApp(): Promise<ComponentsApp> {
  const scripts = new Map<string, string>()
  const renders = new Map<string, Render>()
  for (const name of frameworks) {
    scripts.set(
      `/${name}.js`,
      await bundle(`import { start } from './${name}-browser.ts'; start()`, 'browser'),
    )
    renders.set(name, load(await bundle(`export * from './${name}-server.ts'`, 'server')).render)
  }
  let handle: ReturnType<typeof toNode>
  const server = createServer(selfSigned, (request, response) =>
    handle(request, response as never),
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `https://app.localhost:${(server.address() as AddressInfo).port}`
  const auth = await startMessagingAuth({
    siteUrl: url,
    basePath: '/auth',
    email: { autoconfirm: true },
    pages: { enabled: true },
  })
  // Browsers have the time of this machine, so the tests start with it.
  auth.clock.advance((Date.now() - auth.clock.now().getTime()) / 1000)
  const sessions = openCookieSessions(auth.auth, { origin: url }, auth.clock)

  const answer = async (request: Request): Promise<Response> => {
    const { pathname, searchParams } = new URL(request.url)
    const script = scripts.get(pathname)
    if (script !== undefined)
      return new Response(script, { headers: { 'content-type': 'text/javascript' } })
    const [, name = ''] = pathname.split('/')
    const render = renders.get(name)
    if (!render) return new Response('not found', { status: 404 })
    const session = await sessions.open(request)
    const isPlain = searchParams.has('plain')
    const state = { isPlain, ...(!isPlain && { session: session.forPage() }) }
    const page = await render(request.url, state)
    if ('redirect' in page)
      return new Response(null, { status: 303, headers: { location: page.redirect } })
    const response = new Response(documentOf(name, page.html, state), {
      headers: { 'content-type': 'text/html; charset=utf-8' },
    })
    session.addHeaders(response.headers)
    return response
  }
  const mounted = toNode(sessions)
  const application = toNode({ app: { fetch: answer } })
  handle = (request, response) =>
    (request.url?.startsWith('/auth') ? mounted : application)(request, response)
  return {
    auth,
    url,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await auth.close()
    },
  }
}

/** The texts that the page has shown are in `shown`, also if they were there for a moment only. */
const documentOf = (name: string, html: string, state: PageState): string => `<!doctype html>
<title>Application</title>
<link rel="icon" href="data:,">
<div id="root">${html}</div>
<script>
const state = ${JSON.stringify(state).replaceAll('<', '\\u003c')}
const root = document.querySelector('#root')
const shown = [root.innerText]
const note = () => { if (root.innerText !== shown.at(-1)) shown.push(root.innerText) }
new MutationObserver(note).observe(root, { subtree: true, childList: true, characterData: true })
</script>
<script type="module" src="/${name}.js"></script>
`

function load(code: string): { render: Render } {
  const module = { exports: {} as { render: Render } }
  new Function('module', 'exports', 'require', code)(
    module,
    module.exports,
    createRequire(import.meta.url),
  )
  return module.exports
}
