import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, test } from 'node:test'
import { createCookieSessions } from 'latchkey/cookies'
import { createTestAuth, type TestAuth } from 'latchkey/testing'
import { createApp } from '../src/app.ts'
import { config } from '../src/auth.ts'
import { authenticatorCode, Browser } from './browser.ts'

const email = 'ada@example.test'
const password = 'correct horse battery'
const server = createServer()
let service: TestAuth
let origin: string
let browser: Browser

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, resolve))
  origin = `http://localhost:${(server.address() as AddressInfo).port}`
  // The service of the application, on an empty database in memory.
  service = await createTestAuth({
    ...config,
    siteUrl: origin,
    database: process.env.TEST_DATABASE_URL,
    providers: { github: { clientId: 'test', clientSecret: 'test' } },
  })
  const sessions = createCookieSessions(service.auth, { origin, development: true })
  server.on('request', createApp({ sessions, origin, hasGithub: true }))
})
beforeEach(async () => {
  await service.reset()
  browser = new Browser(origin)
})
after(async () => {
  server.close()
  server.closeAllConnections()
  await service.close()
})

const lastMail = async () => (await service.mails()).at(-1)

async function signUp(): Promise<void> {
  await browser.open('/sign-up')
  await browser.submit('Sign up', { email, password })
  await browser.submit('Confirm', { code: (await lastMail())?.code ?? '' })
}

async function signIn(given = password): Promise<void> {
  await browser.open('/sign-in')
  await browser.submit('Sign in', { email, password: given })
}

const isAccount = () => {
  assert.equal(browser.url.pathname, '/account', browser.text)
  assert.match(browser.text, /You are signed in as ada@example\.test/)
}

test('redirects guests to the sign-in', async () => {
  await browser.open('/account')

  assert.equal(browser.url.pathname, '/sign-in')
})

test('signs up with the code of the mail', async () => {
  await browser.open('/sign-up')
  await browser.submit('Sign up', { email, password })
  await browser.submit('Confirm', { code: '000000' })
  assert.match(browser.text, /Token has expired or is invalid/)

  await browser.submit('Confirm', { code: (await lastMail())?.code ?? '' })
  isAccount()
})

test('signs up with the link of the mail', async () => {
  await browser.open('/sign-up')
  await browser.submit('Sign up', { email, password })

  await browser.open((await lastMail())?.link ?? '')
  isAccount()
})

test('signs in with the password, and out', async () => {
  await signUp()
  await browser.submit('Sign out')
  await signIn('a wrong password')
  assert.match(browser.text, /Invalid login credentials/)
  assert.match(browser.text, /value="ada@example\.test"/)

  await signIn()
  isAccount()
  await browser.submit('Sign out everywhere')
  await browser.open('/account')
  assert.equal(browser.url.pathname, '/sign-in')
})

test('leads a user who has signed out everywhere to the sign-in', async () => {
  await signUp()
  const elsewhere = browser
  browser = new Browser(origin)
  await signIn()
  await browser.submit('Sign out everywhere')

  await elsewhere.open('/account')
  assert.equal(elsewhere.url.pathname, '/sign-in', elsewhere.text)
})

test('sets a new password by a mailed link', async () => {
  await signUp()
  await browser.submit('Sign out')
  await browser.open('/recover')
  await browser.submit('Send a link', { email })
  await browser.open((await lastMail())?.link ?? '')
  await browser.submit('Set password', { password: 'a new password' })
  isAccount()

  await browser.submit('Sign out')
  await signIn('a new password')
  isAccount()
})

test('sets a new password with the code of the mail', async () => {
  await signUp()
  await browser.submit('Sign out')
  await browser.open('/recover')
  await browser.submit('Send a link', { email })
  await browser.submit('Continue', { code: '000000' })
  assert.match(browser.text, /Token has expired or is invalid/)
  await browser.submit('Continue', { code: (await lastMail())?.code ?? '' })
  await browser.submit('Set password', { password: 'a new password' })

  isAccount()
})

test('requires the second factor of a user who has one', async () => {
  await signUp()
  await browser.open('/enroll')
  await browser.submit('Show the QR code')
  await browser.submit('Verify', { code: '000000' })
  assert.match(browser.text, /role="alert">[^<]+</)
  await browser.open('/enroll')
  await browser.submit('Show the QR code')
  const [, secret = ''] = /<code>(\w+)<\/code>/.exec(browser.text) ?? []
  await browser.submit('Verify', { code: authenticatorCode(secret) })
  isAccount()
  await browser.submit('Sign out')

  await signIn()
  assert.equal(browser.url.pathname, '/verify')
  await browser.submit('Verify', { code: '000000' })
  assert.match(browser.text, /role="alert">[^<]+</)
  await browser.open('/account')
  assert.equal(browser.url.pathname, '/verify')
  await browser.submit('Verify', { code: authenticatorCode(secret, Date.now() + 30_000) })
  isAccount()
})

test('signs in with GitHub', async () => {
  await browser.open('/sign-in')
  await browser.submit('Sign in with GitHub')

  assert.equal(browser.url.origin, 'https://github.com')
  assert.equal(browser.url.searchParams.get('client_id'), 'test')
})
