import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { toNode } from '../src/hosts/adapters/node.ts'
import { type Auth, createAuth, oidc } from '../src/index.ts'
import { describeInBrowser } from './support/browser.ts'
import { startClientApp } from './support/client-app.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'
import { type OpenIdProvider, startOpenIdProvider } from './support/openid-provider.ts'
import { freePort } from './support/server-process.ts'
import type { WebServer } from './support/web-server.ts'

let database: TestDatabase
let application: WebServer
let provider: OpenIdProvider
let auth: Auth
let server: Server

beforeAll(async () => {
  const port = await freePort()
  const serviceUrl = `http://127.0.0.1:${port}`
  database = await createTestDatabase()
  application = await startClientApp(() => serviceUrl)
  const client = { clientId: 'application', clientSecret: 'secret' }
  provider = await startOpenIdProvider({
    ...client,
    redirectUri: `${serviceUrl}/callback`,
    asks: true,
  })
  auth = createAuth({
    siteUrl: application.url,
    externalUrl: serviceUrl,
    database: database.url,
    jwt: { secret: 'a secret for tests of more than 32 bytes' },
    email: { autoconfirm: true },
    security: { manualLinkingEnabled: true },
    logger: false,
    providers: { acme: oidc({ ...client, issuer: provider.issuer, label: 'Acme' }) },
  })
  server = createServer(toNode(auth)).listen(port, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(async () => {
  server?.closeAllConnections()
  server?.close()
  await auth?.close()
  await provider?.close()
  await application?.close()
  await database?.drop()
})

describeInBrowser(
  'signing in through a provider with the real client, in one browser',
  ({ open }) => {
    it.each(['implicit', 'pkce'])(
      'redirects to the provider, and back to the application signed in (%s)',
      { timeout: 90_000 },
      async (flow) => {
        const email = `${flow}@example.test`
        provider.signsIn = { sub: flow, email, email_verified: true, name: 'Ada' }
        const page = await open()
        await page.goto(`${application.url}/?flow=${flow}`)
        await page.getByRole('button', { name: 'Sign in with Acme' }).click()
        await page.getByRole('button', { name: 'Let the application know who I am' }).click()

        await page.getByText(`${email} is signed in`).waitFor()
        expect(new URL(page.url()).origin).toBe(application.url)
        expect(provider.refusals).toEqual([])
        await page.reload()
        await page.getByText(`${email} is signed in`).waitFor()
      },
    )
    it.each(['implicit', 'pkce'])(
      'S01: links after one confirmation on the page, and not before (%s)',
      { timeout: 90_000 },
      async (flow) => {
        const email = `links-${flow}@example.test`
        const sub = `linked-${flow}`
        provider.signsIn = { sub, email: `${sub}@acme.test`, email_verified: true, name: 'Ada' }
        const page = await open()
        await page.goto(`${application.url}/?flow=${flow}`)
        await page.getByLabel('Email').fill(email)
        await page.getByLabel('Password').fill('correct horse battery')
        await page.getByRole('button', { name: 'Sign up' }).click()
        await page.getByText('Look into your mailbox').waitFor()
        await page.reload()
        await page.getByText(`${email} is signed in`).waitFor()
        const identities = async () => {
          const { users } = await auth.admin.listUsers({ filter: email })
          return users[0]?.identities.map((one) => one.provider)
        }

        await page.getByRole('button', { name: 'Link Acme' }).click()
        await page.getByRole('button', { name: 'Let the application know who I am' }).click()
        await page.getByRole('heading', { name: 'Link your Acme account?' }).waitFor()
        await page.getByText(`${sub}@acme.test`).waitFor()
        await page.getByText(email, { exact: true }).waitFor()
        expect(await identities()).toEqual(['email'])

        await page.getByRole('button', { name: 'Link accounts' }).click()
        await page.getByText(`${email} is signed in`).waitFor()
        expect(new URL(page.url()).origin).toBe(application.url)
        expect(await identities()).toEqual(['email', 'acme'])
      },
    )
  },
)
