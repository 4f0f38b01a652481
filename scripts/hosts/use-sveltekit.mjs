import { expectSame } from './use-in-browser.mjs'

/** Pages with the components of `latchkey/svelte`, as docs/components.md shows them. */
export const svelteKitFiles = {
  'vite.config.ts': `
import adapter from '@sveltejs/adapter-node'
import { sveltekit } from '@sveltejs/kit/vite'
import { defineConfig } from 'vite'

export default defineConfig({
  plugins: [sveltekit({ adapter: adapter() })],
  ssr: { noExternal: ['latchkey'], external: ['latchkey/cookies', 'latchkey/shared', 'latchkey/sveltekit'] },
})
`,
  'src/client.ts': `
import { AuthClient } from '@supabase/auth-js'
import { pageClientOptions } from 'latchkey/client'
import type { PageSession } from 'latchkey/cookies'

const create = (session: PageSession | null) =>
  new AuthClient(pageClientOptions({ basePath: '/auth', session }))
let inBrowser: AuthClient | undefined

/** The server creates a client for each request, the browser one for all pages. */
export function clientOf(session: PageSession | null) {
  if (typeof window === 'undefined') return create(session)
  inBrowser ??= create(session)
  return inBrowser
}
`,
  'src/routes/components/+page.server.ts': `
import type { ServerLoad } from '@sveltejs/kit'

export const load: ServerLoad = ({ locals }) => ({ session: locals.session.forPage() })
`,
  'src/routes/components/+page.svelte': `
<script lang="ts">
import { AuthProvider, SignedIn, SignedOut } from 'latchkey/svelte'
import { clientOf } from '../../client.ts'
import Links from './links.svelte'

const { data } = $props()
// svelte-ignore state_referenced_locally
const client = clientOf(data.session)
</script>

<AuthProvider {client} session={data.session}>
  <SignedIn>{#snippet children(user)}<p>hello, {user.email}</p>{/snippet}</SignedIn>
  <SignedOut><p>hello, guest</p></SignedOut>
  <Links />
</AuthProvider>
`,
  'src/routes/components/links.svelte': `
<script lang="ts">
import { useAuth, useAuthPages, useSession, useUser } from 'latchkey/svelte'

const client = useAuth()
const pages = useAuthPages()
const session = useSession()
const user = useUser()
</script>

<p>{user.current?.email ?? 'nobody'}, {session.current ? 'with' : 'without'} a session</p>
<a href={pages.signIn('/components')}>Sign in</a>
<a href="/members">Members</a>
<button onclick={() => client.signOut({ scope: 'local' })}>Sign out</button>
`,
  'src/routes/members/+page.server.ts': `
import type { ServerLoad } from '@sveltejs/kit'

export const load: ServerLoad = ({ locals }) => ({ session: locals.session.forPage() })
`,
  'src/routes/members/+page.ts': `
import { type Load, redirect } from '@sveltejs/kit'
import { requireUser } from 'latchkey/svelte'
import { clientOf } from '../../client.ts'

export const load: Load = async ({ data, url }) => ({
  user: await requireUser(clientOf(data?.session ?? null), url, redirect),
})
`,
  'src/routes/members/+page.svelte': `
<script lang="ts">
const { data } = $props()
</script>

<p>members: {data.user.email}</p>
`,
}

/**
 * Uses the components of Svelte in the build: as the server renders them, hydrated without a
 * difference, after a sign-out in the page, and the guard of a page.
 *
 * @param {string} url
 * @param {import('./use-in-browser.mjs').Visit} visit
 */
export async function useSvelteKit(url, { browser, credentials }) {
  const options = { baseURL: url, ignoreHTTPSErrors: true }
  const context = await browser.newContext(options)
  /** @type {string[]} */
  const complaints = []
  context.on('console', (message) => {
    if (['warning', 'error'].includes(message.type())) complaints.push(message.text())
  })
  context.on('weberror', (error) => complaints.push(String(error.error())))
  try {
    const { request } = context
    const guest = await (await request.get('/components')).text()
    for (const text of ['hello, guest', 'nobody, without a session', signInPath('/components')])
      if (!guest.includes(text)) throw new Error(`the page of a guest lacks ${text}: ${guest}`)
    const rejected = await request.get('/members', { maxRedirects: 0 })
    expectSame('the guard, on the server', rejected.status(), 303)
    const target = rejected.headers().location
    if (target !== signInPath('/members')) throw new Error(`the guard redirects to ${target}`)

    const signIn = await request.post('/auth/token?grant_type=password', {
      headers: { origin: url, 'x-use-cookie': '1' },
      data: credentials,
    })
    expectSame('a sign-in', signIn.status(), 200)
    const rendered = await (await request.get('/components')).text()
    for (const text of [`hello, ${credentials.email}`, `${credentials.email}, with a session`])
      if (!rendered.includes(text)) throw new Error(`the page of a user lacks ${text}: ${rendered}`)

    const page = await context.newPage()
    await page.goto('/components', { waitUntil: 'networkidle' })
    await page.getByText(`hello, ${credentials.email}`, { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Members' }).click()
    await page.getByText(`members: ${credentials.email}`, { exact: true }).waitFor()
    await page.goBack()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('hello, guest', { exact: true }).waitFor()
    await page.getByText('nobody, without a session').waitFor()
    if (complaints.length > 0) throw new Error(`errors in the browser: ${complaints}`)

    await page.getByRole('link', { name: 'Members' }).click()
    await page.waitForURL((at) => at.pathname + at.search === signInPath('/members'))
  } finally {
    await context.close()
  }
}

const signInPath = (/** @type {string} */ path) =>
  `/auth/sign-in?redirect_to=${encodeURIComponent(path)}`
