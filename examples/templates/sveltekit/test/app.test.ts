import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { authenticatorCode, Browser } from './browser.ts'
import { type Application, startApplication } from './start-application.ts'

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
  await browser.open('/sign-up')
  await browser.submit('Sign up', { email, password })
  await browser.submit('Confirm', { code: (await nextMail('confirmation')).code ?? '' })
}

async function signIn(given = password): Promise<void> {
  await browser.open('/sign-in')
  await browser.submit('Sign in', { email, password: given })
}

const isAccount = () => {
  assert.equal(browser.url.pathname, '/account', browser.text)
  assert.ok(browser.text.includes(`You are signed in as ${email}`), browser.text)
}

test('redirects guests to the sign-in', async () => {
  await browser.open('/account')

  assert.equal(browser.url.pathname, '/sign-in')
})

test('signs up with the code of the mail', async () => {
  await browser.open('/sign-up')
  await browser.submit('Sign up', { email, password })
  await browser.submit('Confirm', { code: '000000' })
  assert.match(browser.text, /role="alert">[^<]+</)
  await browser.submit('Confirm', { code: (await nextMail('confirmation')).code ?? '' })

  isAccount()
})

test('signs up with the link of the mail', async () => {
  await browser.open('/sign-up')
  await browser.submit('Sign up', { email, password })

  await browser.open((await nextMail('confirmation')).link ?? '')
  isAccount()
})

test('signs in with the password, and out', async () => {
  await signUp()
  await browser.submit('Sign out')
  await signIn('a wrong password')
  assert.match(browser.text, /Invalid login credentials/)

  await signIn()
  isAccount()
  await browser.submit('Sign out everywhere')
  await browser.open('/account')
  assert.equal(browser.url.pathname, '/sign-in')
})

test('leads a user who has signed out everywhere to the sign-in', async () => {
  await signUp()
  const elsewhere = browser
  browser = new Browser(application.origin)
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
  await browser.open((await nextMail('recovery')).link ?? '')
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
  assert.match(browser.text, /role="alert">[^<]+</)
  await browser.submit('Continue', { code: (await nextMail('recovery')).code ?? '' })
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
