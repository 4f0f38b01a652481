import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { confirmationForm } from '../../../test/support/confirmation-page.ts'
import {
  clubMember,
  clubSettings,
  type FakeRealm,
  startFakeRealm,
} from '../../../test/support/fake-realm.ts'
import { type MessagingAuth, startMessagingAuth } from '../../../test/support/messages.ts'
import { openBrowser, origin } from '../../../test/support/page-browser.ts'

let realm: FakeRealm
let auth: MessagingAuth
let browser: ReturnType<typeof openBrowser>
let members = 0

beforeAll(async () => {
  realm = await startFakeRealm()
  auth = await startMessagingAuth({
    siteUrl: origin,
    security: { manualLinkingEnabled: true },
    providers: { club: clubSettings(realm, { emailOptional: true }) },
    passkeys: { enabled: true },
    pages: { enabled: true, name: 'Acme' },
  })
})
afterAll(async () => {
  await auth?.close()
  await realm?.close()
})
// A user of a provider without an address, whom only a sign-in proves.
beforeEach(async () => {
  browser = openBrowser(auth)
  await follow(await browser.submit('/sign-in', 'provider', { provider: 'club' }))
})

const newMember = () => clubMember(`c${++members}`, [], { name: 'Ada' })

/** Follows redirects, with a new member at the provider. */
async function follow(first: Awaited<ReturnType<typeof browser.get>>): Promise<string> {
  let answer = first
  for (let hops = 0; hops < 6; hops += 1) {
    const location = answer.headers.get('location') ?? ''
    const isConfirmation = answer.status === 200 && answer.text.includes('/callback"')
    if (isConfirmation) {
      answer = await browser.send('POST', '/callback', `${confirmationForm(answer.text)}`)
    } else if (/^https?:/.test(location) && !location.startsWith(origin)) {
      const { searchParams } = new URL(location)
      const query = { state: searchParams.get('state') ?? '', code: realm.codeFor(newMember()) }
      answer = await browser.get(`/callback?${new URLSearchParams(query)}`)
    } else if (/^\/authorize|^[^?]*\/sign-in\/complete/.test(location)) {
      answer = await browser.get(location)
    } else return location
  }
  throw new Error('too many redirects')
}

const signInAgain = /\/sign-in\?redirect_to=[^&]*%2Faccount%2F(identities|security)&again=1$/

it('a recent sign-in is required before another account is connected', async () => {
  auth.clock.advance(601)
  const answer = await browser.submit('/account/identities', 'connect', { provider: 'club' })

  expect([answer.status, answer.headers.get('location')]).toEqual([
    303,
    expect.stringMatching(signInAgain),
  ])
})

it('a recent sign-in is required at the end of the flow, too, which returns to the page', async () => {
  auth.clock.advance(500)
  const started = await browser.submit('/account/identities', 'connect', { provider: 'club' })
  auth.clock.advance(101)

  expect(await follow(started)).toMatch(signInAgain)
})

it('a sign-in again offers all methods, and another account, without returning at once', async () => {
  const { text } = await browser.get('/sign-in?again=1')
  const links = [...text.matchAll(/href="(\/sign-(?:in|up)\?[^"]*)"/g)].map(([, href = '']) =>
    href.replaceAll('&amp;', '&'),
  )
  const answers = await Promise.all(links.filter((href) => !/lang=/.test(href)).map(browser.get))

  expect(links.some((href) => /with=code/.test(href))).toBe(true)
  expect(links.some((href) => href.startsWith('/sign-up'))).toBe(true)
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
})

it('a recent sign-in is where a script continues that adds a passkey', async () => {
  auth.clock.advance(601)
  const { status, text } = await browser.submit('/account/security', 'passkey-options', {})

  expect([status, JSON.parse(text).next]).toEqual([403, expect.stringMatching(signInAgain)])
})
