import { readFileSync } from 'node:fs'
import { join, normalize } from 'node:path'
import { startWebServer, type WebServer } from './web-server.ts'

const packages = join(import.meta.dirname, '../../node_modules')

/** The path of packages; their files import each other without an extension. */
const client = '/@supabase/auth-js/dist/module'
export const imports = { '@supabase/auth-js': `${client}/index`, tslib: '/tslib/tslib.es6.mjs' }

/**
 * Starts an application of one page, which signs users up or in through the provider `acme`, and
 * links that provider, with the unmodified client of its package.
 *
 * @param serviceUrl returns the URL of the service, which is often started later.
 */
export const startClientApp = (serviceUrl: () => string): Promise<WebServer> =>
  startWebServer((response, { path }) => {
    const { pathname, searchParams } = new URL(path, 'http://localhost')
    if (pathname === '/') {
      const flowType = searchParams.get('flow') ?? 'implicit'
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
      response.end(pageOf({ url: serviceUrl(), flowType }))
      return
    }
    const script = readScript(pathname)
    response.writeHead(script === null ? 404 : 200, { 'content-type': 'text/javascript' })
    response.end(script)
  })

/** Returns a file of the client's package, or of its imports; null for any other path. */
export function readScript(pathname: string): string | null {
  const isOurs = pathname.startsWith(`${client}/`) || pathname === imports.tslib
  if (!isOurs || normalize(pathname) !== pathname) return null
  const file = join(packages, /\.m?js$/.test(pathname) ? pathname : `${pathname}.js`)
  return readFileSync(file, 'utf8')
}

const pageOf = (options: object): string => `<!doctype html>
<title>Application</title>
<link rel="icon" href="data:,">
<script type="importmap">${JSON.stringify({ imports })}</script>
<form>
  <label>Email <input name="email"></label>
  <label>Password <input name="password" type="password"></label>
  <button>Sign up</button>
</form>
<button id="acme">Sign in with Acme</button>
<button id="link">Link Acme</button>
<p role="status">Nobody is signed in</p>
<script type="module">
import { AuthClient } from '@supabase/auth-js'
const say = (text) => { document.querySelector('[role=status]').textContent = text }
const client = new AuthClient({ ...${JSON.stringify(options)}, storageKey: 'session', detectSessionInUrl: true })
client.onAuthStateChange((_event, session) => { if (session) say(session.user.email + ' is signed in') })
document.querySelector('form').addEventListener('submit', async (event) => {
  event.preventDefault()
  const { email, password } = Object.fromEntries(new FormData(event.target))
  const { error } = await client.signUp({ email, password, options: { emailRedirectTo: location.href } })
  say(error ? error.message : 'Look into your mailbox')
})
document.querySelector('#acme').addEventListener('click', async () => {
  const { error } = await client.signInWithOAuth({ provider: 'custom:acme', options: { redirectTo: location.href } })
  if (error) say(error.message)
})
document.querySelector('#link').addEventListener('click', async () => {
  const { error } = await client.linkIdentity({ provider: 'custom:acme', options: { redirectTo: location.href } })
  if (error) say(error.message)
})
</script>
`
