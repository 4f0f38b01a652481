import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { describeInBrowser } from './support/browser.ts'
import type { CliProcess } from './support/cli-process.ts'
import { asOauthServer } from './support/oauth-clients.ts'
import { type PagesApp, startPagesApp } from './support/pages-app.ts'
import {
  type RelyingPartyName,
  relyingParties,
  startRelyingParty,
} from './support/relying-parties/start-relying-party.ts'
import { freePort } from './support/server-process.ts'
import { testPassword } from './support/test-auth.ts'

// Applications of other projects, each a process, sign users in through our pages in Chromium.

let app: PagesApp
const running: CliProcess[] = []

beforeAll(async () => {
  app = await startPagesApp(
    (url) => ({
      jwt: { ...asOauthServer.jwt, issuer: `${url}/auth` },
      oauthServer: { enabled: true },
    }),
    'localhost',
  )
})
afterEach(async () => {
  for (const one of running.splice(0)) await one.stop()
})
afterAll(() => app?.close())

async function startParty(name: RelyingPartyName) {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const callback = name === 'auth-js' ? '/auth/callback/latchkey' : '/cb'
  const isPassport = name === 'passport-openidconnect'
  const { body } = await app.auth.post(
    '/auth/admin/oauth/clients',
    {
      client_name: 'Notes',
      redirect_uris: [`${url}${callback}`],
      post_logout_redirect_uris: [`${url}/signed-out`],
      token_endpoint_auth_method: isPassport ? 'client_secret_post' : 'client_secret_basic',
    },
    { token: await app.auth.given.serviceToken() },
  )
  const party = await startRelyingParty(name, {
    issuer: `${app.url}/auth`,
    clientId: body.client_id,
    clientSecret: body.client_secret,
    port,
  })
  running.push(party)
  return { url, clientId: body.client_id as string, output: party.output }
}

const jsonOf = async (page: Page) => JSON.parse((await page.textContent('body')) ?? '')

describeInBrowser('an application that signs users in with', ({ open }) => {
  it.each(relyingParties)(
    '%s gets tokens, reads the user, refreshes and signs out',
    async (name) => {
      const party = await startParty(name)
      const { email, id } = await app.auth.given.user()
      const page = await open({ ignoreHTTPSErrors: true })

      await page.goto(`${party.url}/login`)
      if (name === 'auth-js') await page.getByRole('button', { name: /Latchkey/ }).click()
      await page.locator('[name=identifier]').fill(email ?? '')
      await page.locator('input[type=password]').fill(testPassword)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.getByRole('heading', { name: /^“Notes” would like access/ }).waitFor()
      await page.getByRole('button', { name: 'Allow', exact: true }).click()
      await page.waitForURL((url) => url.origin === party.url && url.pathname === '/cb')
      const signedIn = await jsonOf(page)

      expect(signedIn, party.output()).toMatchObject({
        claims: { iss: `${app.url}/auth`, aud: party.clientId, sub: id, email },
        userinfo: { sub: id, email },
        refreshToken: expect.stringMatching(/./),
      })

      // The page of the provider does not disclose its URL, with the id of the request (RFC 9700 §4.2).
      expect(signedIn.referrer ?? null).toBeNull()

      await page.goto(`${party.url}/refresh`)
      const renewed = await jsonOf(page)
      expect(renewed.userinfo).toMatchObject({ sub: id, email })
      expect(renewed.refreshToken).not.toBe(signedIn.refreshToken)

      await page.goto(`${party.url}/logout`)
      expect([new URL(page.url()).origin, await jsonOf(page)]).toEqual([
        party.url,
        { signedOut: 'bye' },
      ])
      await page.goto(`${party.url}/refresh`)
      expect(await jsonOf(page)).toMatchObject({ error: 'invalid_grant' })
    },
  )
})
