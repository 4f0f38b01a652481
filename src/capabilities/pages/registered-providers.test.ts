import { afterAll, beforeAll, expect, it } from 'vitest'
import { customProvider } from '../../../test/support/custom-providers.ts'
import { type MessagingAuth, startMessagingAuth } from '../../../test/support/messages.ts'
import { openBrowser, origin } from '../../../test/support/page-browser.ts'
import { testPassword } from '../../../test/support/test-auth.ts'

let auth: MessagingAuth
let token: string

beforeAll(async () => {
  auth = await startMessagingAuth({
    siteUrl: origin,
    basePath: '/auth',
    security: { manualLinkingEnabled: true },
    providers: { github: { clientId: 'client', clientSecret: 'secret' } },
    pages: { enabled: true, name: 'Acme' },
  })
  token = await auth.given.serviceToken()
})
afterAll(() => auth?.close())

const path = '/auth/admin/custom-providers'
const register = async (identifier: string, changes: object) => {
  const answer = await auth.post(path, customProvider(identifier, changes), { token })
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)])
}
const listLives = () => auth.clock.advance(6)
const labelsOf = (text: string) =>
  [...text.matchAll(/Continue with ([^<]+)/g)].map(([, label]) => label)

it('appear beside the configured ones while they are enabled', async () => {
  await register('custom:club', { name: 'The <Club>' })
  await register('custom:academy', { name: 'Academy' })
  await register('custom:closed', { name: 'Closed', enabled: false })
  listLives()
  const browser = openBrowser(auth)

  const labels = labelsOf((await browser.get('/auth/sign-in')).text)
  expect(labels).toEqual(['GitHub', 'Academy', 'The &lt;Club&gt;'])
  expect((await browser.get('/auth/sign-up')).text).toContain('Sign up with Academy')

  await auth.put(`${path}/custom:academy`, { enabled: false }, { token })
  listLives()
  expect(labelsOf((await browser.get('/auth/sign-in')).text)).toEqual([
    'GitHub',
    'The &lt;Club&gt;',
  ])
})

it('sign in, and are connected to an account', async () => {
  await register('custom:library', { name: 'Library' })
  listLives()
  const { email } = await auth.given.user()
  const browser = openBrowser(auth)
  const started = await browser.submit('/auth/sign-in', 'provider', { provider: 'custom:library' })
  const { headers } = await browser.get(started.headers.get('location') ?? '')
  expect(headers.get('location')).toMatch(/^https:\/\/93\.184\.216\.34\/authorize\?/)

  const credentials = { identifier: email ?? '', password: testPassword }
  await browser.submit('/auth/sign-in', 'password', credentials)
  expect((await browser.get('/auth/account/identities')).text).toContain('Connect Library')
  const fields = { provider: 'custom:library' }
  const linking = await browser.submit('/auth/account/identities', 'connect', fields)
  expect(linking.headers.get('location')).toMatch(/^https:\/\/93\.184\.216\.34\/authorize\?/)
})

it('are queried once in five seconds, however often pages are requested', async () => {
  const { database } = await auth.deps()
  const browser = openBrowser(auth)
  await browser.get('/auth/sign-in')
  const { sql } = database
  let queries = 0
  const query = sql.query.bind(sql)
  sql.query = (...given) => {
    queries += 1
    return query(...given)
  }
  try {
    for (let count = 0; count < 5; count++) await browser.get('/auth/sign-in')
    expect(queries).toBe(0)
    listLives()
    await Promise.all([browser.get('/auth/sign-in'), browser.get('/auth/sign-in')])
    expect(queries).toBe(1)
  } finally {
    sql.query = query
  }
})
