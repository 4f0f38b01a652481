import { expectSame, expireAccessToken, storedSession } from './use-in-browser.mjs'

/** Pages of an application with their route rules. */
export const nuxtFiles = {
  'modules/rules.ts': `
const uncached = ['/', '/sign-in', '/profile', '/public', '/nested', '/api/**']

export default (_options: unknown, nuxt: { options: { routeRules: object } }) => {
  nuxt.options.routeRules = {
    '/**': { swr: 60 },
    ...Object.fromEntries(uncached.map((path) => [path, { cache: false }])),
    '/about': { prerender: true },
    ...Object.fromEntries(
      ['/public', '/profile', '/api/profile', '/api/nested', '/__nuxt_error'].map((path) => [
        path,
        {
          cache: false,
          headers: { 'cache-control': 'public, s-maxage=60', 'cdn-cache-control': 'max-age=60' },
        },
      ]),
    ),
  }
}
`,
  ...Object.fromEntries(
    ['about', 'cached', 'public'].map((page) => [
      `app/pages/${page}.vue`,
      `<script setup lang="ts">const user = useUser()</script><template><p>{{ user?.email }}</p></template>`,
    ]),
  ),
  'app/pages/cached-profile.vue': `
<script setup lang="ts">definePageMeta({ middleware: 'auth' })</script><template><p>secret</p></template>
`,
  'app/pages/by-link.vue': `
<script setup lang="ts">
const client = useAuthClient()
const sent = ref(false)
const send = async () => {
  const emailRedirectTo = new URL('/profile?from=mail', location.href).href
  const { error } = await client.signInWithOtp({ email: 'linus@example.test', options: { emailRedirectTo } })
  sent.value = !error
}
</script>
<template><button @click="send">{{ sent ? 'Sent' : 'Send' }}</button></template>
`,
  'app/pages/nested.vue': `
<script setup lang="ts">
const { data: one } = await useFetch('/api/nested')
const { data: other } = await useFetch('/api/profile', { key: 'other' })
</script>
<template><p>{{ one?.message }}, {{ other?.message }}</p></template>
`,
  'server/api/nested.get.ts': `
export default defineEventHandler((event) => event.$fetch<{ message: string }>('/api/profile'))
`,
  'server/middleware/who.ts': `
export default defineEventHandler((event) => {
  if (!event.path.startsWith('/api/')) event.context.who = openSession(event)
})
`,
}

/**
 * Tests features of Nuxt: pages that are rendered for all clients, and requests of a page during
 * rendering.
 *
 * @param {string} url
 * @param {import('./use-in-browser.mjs').Visit} visit
 */
export async function useNuxt(url, { browser, credentials, jwtSecret, countRenewals, nextMail }) {
  const context = await browser.newContext({ baseURL: url, ignoreHTTPSErrors: true })
  const { request } = context
  try {
    const signIn = await request.post('/auth/token?grant_type=password', {
      headers: { origin: url, 'x-use-cookie': '1' },
      data: credentials,
    })
    expectSame('a sign-in', signIn.status(), 200)
    const { access_token: token } = await signIn.json()

    const page = await (await request.get('/public')).text()
    expectSame('tokens in the HTML', page.split(token).length - 1, 1)
    for (const path of ['/about', '/cached', '/cached']) {
      const answer = await request.get(path)
      const text = await answer.text()
      const isPersonal = [credentials.email, 'eyJ'].some((word) => text.includes(word))
      if (isPersonal || answer.headers()['set-cookie']) throw new Error(`${path} contains a user`)
    }
    expectSame('a cached page for users', (await request.get('/cached-profile')).status(), 500)
    for (const path of ['/public', '/api/profile', '/api/nested', '/nowhere', '/cached-profile'])
      expectPrivate(await request.get(path))
    await expectPrivateRejections(browser, url)
    await expectUncachedService(context, token)

    const marks = { data: { __nuxt_error: true, __v_isRef: true } }
    const headers = { origin: url, 'x-use-cookie': '1', authorization: `Bearer ${token}` }
    const marked = await request.put('/auth/user', { headers, data: marks })
    expectSame('metadata of any name', marked.status(), 200)

    const { sessionId } = await storedSession(context)
    const renewals = await countRenewals(sessionId)
    await expireAccessToken(context, jwtSecret)
    const nested = await (await request.get('/nested')).text()
    const hello = `hello, ${credentials.email}`
    if (!nested.includes(`${hello}, ${hello}`))
      throw new Error(`the page contains no user: ${nested}`)
    expectSame('renewals by a page', (await countRenewals(sessionId)) - renewals, 1)

    await expireAccessToken(context, jwtSecret)
    const renewing = await request.get('/api/nested')
    expectPrivate(renewing)
    if (!renewing.headers()['set-cookie'])
      throw new Error('the response does not set the renewed session')
  } finally {
    await context.close()
  }
  await signInByLink({ url, browser, nextMail })
}

/**
 * Follows a link to a page with the middleware `auth`, with a code in its URL. It works once, and
 * in the browser that requested it.
 *
 * @param {Pick<import('./use-in-browser.mjs').Visit, 'browser' | 'nextMail'> & { url: string }}
 *   visit
 */
async function signInByLink({ url, browser, nextMail }) {
  const context = await browser.newContext({ baseURL: url, ignoreHTTPSErrors: true })
  const other = await browser.newContext({ baseURL: url, ignoreHTTPSErrors: true })
  try {
    const page = await context.newPage()
    await page.goto('/by-link', { waitUntil: 'networkidle' })
    await page.getByRole('button').click()
    await page.getByText('Sent').waitFor()
    const [link = ''] = /https?:\S+\/verify\?\S+/.exec((await nextMail()).text ?? '') ?? []
    const { location = '' } = (await context.request.get(link, { maxRedirects: 0 })).headers()
    if (!location.includes('code=')) throw new Error(`the link leads to ${location}`)

    const stolen = (await other.request.get(location, { maxRedirects: 0 })).headers()
    if (!stolen['location']?.startsWith('/sign-in'))
      throw new Error('the code is valid in another browser')
    await page.goto(location)
    if (page.url() !== `${url}/profile?from=mail`) throw new Error(`the link ends at ${page.url()}`)
    await page.getByText('hello, linus@example.test').waitFor()
  } finally {
    await context.close()
    await other.close()
  }
}

/**
 * Expects that rejections for unauthenticated clients are not cached for signed-in users.
 *
 * @param {import('playwright-core').Browser} browser
 * @param {string} url
 */
async function expectPrivateRejections(browser, url) {
  const signedOut = await browser.newContext({ baseURL: url, ignoreHTTPSErrors: true })
  try {
    for (const path of ['/profile', '/api/profile', '/api/nested'])
      expectPrivate(await signedOut.request.get(path, { maxRedirects: 0 }))
  } finally {
    await signedOut.close()
  }
}

/** Expects that no cache stores a response. */
function expectPrivate(/** @type {import('playwright-core').APIResponse} */ answer) {
  const { 'cache-control': caching, 'cdn-cache-control': targeted } = answer.headers()
  if (caching !== 'private, no-store' || targeted)
    throw new Error(`${answer.url()} may be cached: ${caching}, ${targeted}`)
}

/**
 * Expects that a caching rule for all paths applies to the application, and not to the service.
 *
 * @param {import('playwright-core').BrowserContext} context
 * @param {string} token
 */
async function expectUncachedService({ request }, token) {
  const headers = { authorization: `Bearer ${token}` }
  expectSame('the user', (await request.get('/auth/user', { headers })).status(), 200)
  expectSame('nobody', (await request.get('/auth/user')).status(), 401)
}
