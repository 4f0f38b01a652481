import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { authenticatorCode, Browser } from './browser.ts'
import { type Application, startApplication } from './start-application.ts'

// The tests send the requests of the pages' client to `/auth`, and read the pages as the server
// renders them.

const password = 'correct horse battery'
let application: Application
let browser: Browser
let email: string
let count = 0

before(async () => {
  application = await startApplication({ GITHUB_CLIENT_ID: 'test', GITHUB_CLIENT_SECRET: 'test' })
})
beforeEach(() => {
  browser = new Browser(application.origin)
  count += 1
  email = `user-${count}@example.test`
})
after(() => application?.stop())

const nextMail = (kind: 'confirmation' | 'recovery') =>
  application.mailbox.next({ to: email, kind })

async function signUp(): Promise<void> {
  await browser.send('/auth/signup', { email, password })
  const { code } = await nextMail('confirmation')
  await browser.send('/auth/verify', { type: 'signup', email, token: code })
}

const signIn = (given = password) =>
  browser.send('/auth/token?grant_type=password', { email, password: given })

const signOut = (scope = 'local') => browser.send(`/auth/logout?scope=${scope}`, {})

async function showsAccount(): Promise<void> {
  await browser.open('/account')
  assert.equal(browser.url.pathname, '/account', browser.text)
  assert.ok(browser.text.includes(`You are signed in as ${email}`), browser.text)
}

test('renders the pages of guests', async () => {
  for (const path of ['/', '/sign-in', '/sign-up', '/recover']) {
    await browser.open(path)
    assert.equal(browser.status, 200, browser.text)
    assert.equal(browser.url.pathname, path)
  }
})

test('redirects guests to the sign-in, and offers GitHub there', async () => {
  await browser.open('/account')

  assert.equal(browser.url.pathname, '/sign-in')
  assert.match(browser.text, /Sign in with GitHub/)
})

test('signs up with the code of the mail', async () => {
  await signUp()

  await showsAccount()
})

test('signs in with the password, and out', async () => {
  await signUp()
  await signOut()
  assert.equal((await signIn('a wrong password'))['error_code'], 'invalid_credentials')

  await signIn()
  await showsAccount()
  await signOut('global')
  await browser.open('/account')
  assert.equal(browser.url.pathname, '/sign-in')
})

test('leads a user who has signed out everywhere to the sign-in', async () => {
  await signUp()
  const elsewhere = browser
  browser = new Browser(application.origin)
  await signIn()
  await signOut('global')

  await elsewhere.open('/account')
  assert.equal(elsewhere.url.pathname, '/sign-in', elsewhere.text)
})

test('sets a new password with the code of a mail', async () => {
  await signUp()
  await signOut()
  await browser.send('/auth/recover', { email })
  const { code } = await nextMail('recovery')
  await browser.send('/auth/verify', { type: 'recovery', email, token: code })
  await browser.open('/new-password')
  assert.ok(browser.text.includes(`New password of ${email}`), browser.text)
  await browser.send('/auth/user', { password: 'a new password' }, 'PUT')
  await signOut()

  await signIn('a new password')
  await showsAccount()
})

test('requires the second factor of a user who has one', async () => {
  await signUp()
  const { id, totp } = await browser.send('/auth/factors', { factor_type: 'totp' })
  const verify = async (code: string) => {
    const { id: challenge } = await browser.send(`/auth/factors/${id}/challenge`, {})
    await browser.send(`/auth/factors/${id}/verify`, { challenge_id: challenge, code })
  }
  await verify(authenticatorCode(totp.secret))
  await showsAccount()
  await signOut()

  await signIn()
  await browser.open('/account')
  assert.equal(browser.url.pathname, '/verify')
  await verify(authenticatorCode(totp.secret, Date.now() + 30_000))
  await showsAccount()
})

test('signs in with GitHub', async () => {
  await browser.open(`/auth/authorize?provider=github&redirect_to=${application.origin}/account`)

  assert.equal(browser.url.origin, 'https://github.com')
  assert.equal(browser.url.searchParams.get('client_id'), 'test')
})
