import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { customProvider } from '../../../test/support/custom-providers.ts'
import { type MessagingAuth, startMessagingAuth } from '../../../test/support/messages.ts'
import { asOauthServer, oauthOf } from '../../../test/support/oauth-clients.ts'
import { openBrowser, origin } from '../../../test/support/page-browser.ts'
import { foreignMarkupIn, hostileTexts, textIn } from '../../../test/support/page-markup.ts'
import { passkeysOf } from '../../../test/support/passkeys.ts'
import { secondFactors } from '../../../test/support/second-factors.ts'
import { requestMethods, testPassword } from '../../../test/support/test-auth.ts'
import { oauthPageRoutes, pageRoutes } from './open-pages.ts'

const siteName = hostileTexts[0] ?? ''
let auth: MessagingAuth
let oauth: ReturnType<typeof oauthOf>

beforeAll(async () => {
  const { authorizationPath: _, ...oauthServer } = { ...asOauthServer.oauthServer }
  auth = await startMessagingAuth({
    jwt: asOauthServer.jwt,
    siteUrl: origin,
    basePath: '/auth',
    usernames: { enabled: true },
    passkeys: { enabled: true },
    anonymousUsers: { enabled: true },
    security: { manualLinkingEnabled: true },
    mfa: { trustedDevices: { enabled: true } },
    oauthServer: {
      enabled: true,
      ...oauthServer,
      deviceFlow: { enabled: true },
      scopes: { 'hostile:scope': hostileTexts[1] ?? '' },
    },
    pages: { enabled: true, name: siteName },
  })
  const request: MessagingAuth['request'] = (method, path, options) =>
    auth.request(method, `/auth${path}`, options)
  oauth = oauthOf({ ...requestMethods(request), given: auth.given })
})
afterAll(() => auth?.close())

const allRoutes = [...pageRoutes, ...oauthPageRoutes]

type Browser = ReturnType<typeof openBrowser>
type Response = Awaited<ReturnType<Browser['get']>>

/** Fails where a page contains markup that is not its own, or lacks a text that it should show. */
function expectOwnMarkup({ text, headers }: Response, shown?: string): void {
  const nonce = /'nonce-(\w+)'/.exec(headers.get('content-security-policy') ?? '')?.[1]
  expect(nonce).toMatch(/^\w{32}$/)
  expect(foreignMarkupIn(text, nonce ?? '')).toEqual([])
  if (shown !== undefined) expect(textIn(text)).toContain(shown)
}

async function signedIn(): Promise<{ browser: Browser; userId: string }> {
  const { id, email } = await auth.given.user()
  const browser = openBrowser(auth)
  const fields = { identifier: email ?? '', password: testPassword }
  expect((await browser.submit('/auth/sign-in', 'password', fields)).status).toBe(303)
  return { browser, userId: id }
}

/** Waits until pages query the registered providers again. */
const providersExpire = () => auth.clock.advance(6)

it('recognizes markup that is not escaped', () => {
  for (const hostile of hostileTexts) {
    const inText = `<p>${hostile}</p>`
    const inAttribute = `<a href="${hostile}">x</a>`
    const found = [inText, inAttribute].flatMap((document) => foreignMarkupIn(document, 'nonce'))
    expect([hostile, found.length > 0]).toEqual([hostile, true])
  }
})

describe.each(hostileTexts)('%s', (hostile) => {
  it('is text as a name, a label, and the data of an identity', async () => {
    const { browser, userId } = await signedIn()
    await auth.auth.admin.updateUser(userId, {
      userMetadata: { name: hostile, full_name: hostile },
    })
    await auth.rows(
      `insert into auth.identities
         (id, user_id, provider, subject, identity_data, created_at, updated_at)
       values (gen_random_uuid(), $1::uuid, $2, $4, $3, now(), now())`,
      [userId, hostile, { email: hostile, name: hostile, avatar_url: hostile }, userId],
    )
    expectOwnMarkup(await browser.get('/auth/account'), hostile)
    expectOwnMarkup(await browser.get('/auth/account/identities'), hostile)
  })

  it('is text as the name of a passkey and of a factor', async () => {
    const session = await auth.given.session()
    const { id } = await passkeysOf(prefixed()).userOf(session)
    await auth.rows('update auth.passkeys set friendly_name = $2 where id = $1', [id, hostile])
    const { enrolledApp, prove } = secondFactors(prefixed())
    const app = await enrolledApp(session.accessToken, hostile)
    await prove(session.accessToken, app)
    const browser = openBrowser(auth)
    const fields = { identifier: session.user.email ?? '', password: testPassword }
    await browser.submit('/auth/sign-in', 'password', fields)
    expectOwnMarkup(await browser.get('/auth/second-factor'))
    auth.clock.advance(60)
    const code = secondFactors(auth).codeOf(app)
    await browser.submit('/auth/second-factor', 'verify', { factor_id: app.id, code })
    const page = await browser.get('/auth/account/security')
    expectOwnMarkup(page, hostile)
    expect(textIn(page.text).split(hostile).length).toBeGreaterThan(2)
  })

  it('is text as a user agent', async () => {
    const { browser } = await signedIn()
    await browser.submit('/auth/account', 'name', { name: 'Ada' }, { 'user-agent': hostile })
    expectOwnMarkup(await browser.get('/auth/account/sessions', { 'user-agent': hostile }))
  })

  it('is text as the name of a registered provider', async () => {
    const identifier = `custom:p${hostileTexts.indexOf(hostile)}`
    const body = customProvider(identifier, { name: hostile })
    const token = await auth.given.serviceToken()
    expect((await auth.post('/auth/admin/custom-providers', body, { token })).status).toBe(201)
    providersExpire()
    const { browser } = await signedIn()
    expectOwnMarkup(await browser.get('/auth/account/identities'), hostile)
    for (const path of ['/auth/sign-in', '/auth/sign-up']) {
      expectOwnMarkup(await openBrowser(auth).get(path), hostile)
    }
  })

  it('is text as the name of a client and as a scope', async () => {
    const { browser } = await signedIn()
    const client = await oauth.client()
    // A registration rejects some of these names.
    await auth.rows('update auth.oauth_clients set client_name = $2 where id = $1', [
      client.id,
      hostile,
    ])
    const { headers } = await oauth.authorize(client, { scope: 'email hostile:scope' })
    const { pathname, search } = new URL(headers.get('location') ?? '')
    const consent = await browser.get(`${pathname}${search}`)
    // A name contains no quotation marks, since it is shown in them.
    const shown = hostile.replaceAll('"', "'")
    expectOwnMarkup(consent, shown)
    expect(textIn(consent.text)).toContain(hostileTexts[1])
    const fields = { 'scope:email': 'on', 'scope:hostile:scope': 'on' }
    await browser.submit(`${pathname}${search}`, 'allow', fields)
    expectOwnMarkup(await browser.get('/auth/account/applications'), shown)
  })
})

const allHostile = hostileTexts.join(' ')

it('every hostile text is text in the query of every page', async () => {
  const { browser } = await signedIn()
  const names = [
    'redirect_to',
    'login_hint',
    'ui_locales',
    'error',
    'error_code',
    'error_description',
    'message',
    'flow',
    'code',
    'lang',
    'with',
    'next',
    'factor',
    'user_code',
    'token',
    'type',
    'authorization_id',
    'state',
  ]
  for (const { path } of allRoutes) {
    for (const one of [openBrowser(auth), browser]) {
      const all = new URLSearchParams(names.map((name): [string, string] => [name, allHostile]))
      for (const query of [
        all,
        ...names.map((name) => new URLSearchParams({ [name]: allHostile })),
      ]) {
        const answer = await one.get(`/auth${path}?${query}`)
        if (answer.headers.get('location') === null) expectOwnMarkup(answer)
      }
    }
  }
})

it('every hostile text is text in the fields that a rejected form shows again', async () => {
  const { browser } = await signedIn()
  const fields = Object.fromEntries(
    [
      'identifier',
      'email',
      'phone',
      'username',
      'name',
      'password',
      'new_password',
      'code',
      'nonce',
      'factor_id',
      'provider',
      'user_code',
      'chain',
      'message',
    ].map((name) => [name, allHostile]),
  )
  const rejected = { ...fields, form_token: 'wrong' }
  for (const { path, actions = {} } of allRoutes) {
    for (const action of Object.keys(actions)) {
      if (/sign-out|switch|others|delete|cancel|codes|anonymous/.test(action)) continue
      for (const one of [openBrowser(auth), browser]) {
        for (const given of [fields, rejected]) {
          const answer = await one.submit(`/auth${path}`, action, given)
          const type = answer.headers.get('content-type') ?? ''
          if (answer.headers.get('location') === null && type.startsWith('text/html')) {
            expectOwnMarkup(answer)
          }
        }
      }
    }
  }
  const typed = await openBrowser(auth).submit('/auth/sign-in', 'password', fields)
  expectOwnMarkup(typed, allHostile)
})

/** The service with the paths of the wire below its mount. */
const prefixed = (): MessagingAuth => {
  const request: MessagingAuth['request'] = (method, path, options) =>
    auth.request(method, `/auth${path}`, options)
  return { ...auth, ...requestMethods(request) }
}
