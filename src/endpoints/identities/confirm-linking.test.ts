import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { confirmationForm } from '../../../test/support/confirmation-page.ts'
import {
  type FakeRealm,
  openBrowser,
  realmSettings,
  redirectOf,
  startFakeRealm,
} from '../../../test/support/fake-realm.ts'
import { type Linking, linking, newPerson } from '../../../test/support/linking.ts'
import { claimsIn } from '../../../test/support/second-factors.ts'
import { startTestAuth, type TestAuth, testPassword } from '../../../test/support/test-auth.ts'
import { openCookieSessions } from '../../hosts/cookie-sessions/cookie-sessions.ts'

const origin = 'https://app.example.test'
const codeVerifier = 'v'.repeat(50)
const pkce = {
  code_challenge: createHash('sha256').update(codeVerifier).digest('base64url'),
  code_challenge_method: 's256',
}

let realm: FakeRealm
let auth: TestAuth
let identities: Linking

beforeAll(async () => {
  realm = await startFakeRealm()
  auth = await startTestAuth({
    security: { manualLinkingEnabled: true },
    anonymousUsers: { enabled: true },
    providers: { keycloak: realmSettings(realm) },
  })
  identities = linking(auth, realm)
})
afterAll(async () => {
  await auth.close()
  await realm.close()
})

const count = async (table: string) => (await auth.rows(`select from auth.${table}`)).length
const stored = async () => ({
  identities: await count('identities'),
  sessions: await count('sessions'),
  codes: await count('authorization_codes'),
})

/** Eve's account, and the page that Ada's browser shows after she opened Eve's URL. */
async function shown(query: Record<string, string> = {}, accessToken?: string) {
  const token = accessToken ?? (await auth.given.session()).accessToken
  const state = await identities.startLinking(token, query)
  const browser = openBrowser(auth)
  const person = newPerson()
  const before = await stored()
  const page = await identities.callback(state, person, browser)
  const form = confirmationForm(page.text)
  return { token, browser, person, before, page, form }
}

describe.each([
  ['implicit', {}],
  ['PKCE', pkce],
])('S01: the callback of a linking flow in another browser (%s)', (flow, query) => {
  it('returns a page, and links and issues nothing', async () => {
    const { page, before } = await shown(query)

    expect(page.status).toBe(200)
    expect(page.headers.get('location')).toBeNull()
    expect(page.text.match(/<form/g)).toHaveLength(1)
    expect(page.text).toContain('<form method="post"')
    expect(await stored()).toEqual(before)
  })

  it('links, once, when the form is submitted', async () => {
    const { token, browser, person, form, before } = await shown(query)
    const { status, query: found, fragment } = redirectOf(await browser.submit('/callback', form))
    const again = redirectOf(await browser.submit('/callback', form))

    expect(status).toBe(303)
    expect((await identities.identitiesOf(token)).map(({ id }) => id)).toContain(person.sub)
    expect([found['code'], fragment['access_token']].map(Boolean)).toEqual([
      flow === 'PKCE',
      flow === 'implicit',
    ])
    expect(again.query['error_code']).toBe('bad_oauth_state')
    expect((await stored()).identities).toBe(before.identities + 1)
  })

  it('links nothing and returns access_denied when it is canceled', async () => {
    const { browser, page, before } = await shown(query)
    const canceled = redirectOf(
      await browser.submit('/callback', confirmationForm(page.text, 'cancel')),
    )
    const late = redirectOf(await browser.submit('/callback', confirmationForm(page.text)))

    expect(canceled.query).toEqual({
      error: 'access_denied',
      error_description: 'Linking was canceled',
    })
    expect(late.query['error_code']).toBe('bad_oauth_state')
    expect(await stored()).toEqual(before)
  })
})

describe('S01: the page', () => {
  it('names the account at the provider and the account of the service', async () => {
    const { user, accessToken } = await auth.given.session()
    const { page, person } = await shown({}, accessToken)
    for (const text of ['Link your Keycloak account?', person.email, user.email ?? ''])
      expect(page.text).toContain(text)
    expect(page.text).toContain('Continue only if you started this yourself')
  })

  it('names an anonymous account, and escapes names', async () => {
    const { session } = await auth.auth.api.signInAnonymously({})
    const state = await identities.startLinking(session.accessToken)
    const { email: _, ...person } = newPerson()
    const name = '<script>alert(1)</script>'
    const named = { ...person, preferred_username: name, name, email: 'x@y.test' }
    const page = await identities.callback(state, named)
    expect(page.text).toContain('A guest account')
    expect(page.text).not.toContain(name)
  })

  it('names no unconfirmed address: any user can claim one', async () => {
    const { id } = await auth.auth.admin.createUser({
      email: 'ada@victim.test',
      password: 'correct horse',
      phone: '491701234567',
      phoneConfirm: true,
    })
    const signedIn = await auth.auth.api.signInWithPassword({
      phone: '491701234567',
      password: 'correct horse',
    })
    const { page } = await shown({}, signedIn.session.accessToken)
    expect(id).toBe(signedIn.user.id)
    expect(page.text).not.toContain('ada@victim.test')
    expect(page.text).toContain('+491701234567')
  })

  it('is not cached, not framed and not readable by another origin', async () => {
    const { page } = await shown()
    const headers = Object.fromEntries(page.headers)
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      // With `no-referrer` a browser would report no origin with the form.
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
    })
    expect(headers['content-security-policy']).toMatch(/default-src 'none'.*frame-ancestors 'none'/)
    expect(headers['access-control-allow-origin']).toBeUndefined()
    expect(headers['set-cookie']).toMatch(
      /^__Host-latchkey-browser=[0-9a-f]{32}; Path=\/; Max-Age=3600; HttpOnly; Secure; SameSite=None$/,
    )
  })

  it.each([
    ['de-CH, en;q=0.5', 'Ihr Konto bei Keycloak verknüpfen?'],
    ['fr', 'Associer votre compte Keycloak'],
    ['tlh', 'Link your Keycloak account?'],
  ])('is in the language that the browser requests: %s', async (language, heading) => {
    const state = await identities.startLinking((await auth.given.session()).accessToken)
    const query = new URLSearchParams({ state, code: realm.codeFor(newPerson()) })
    const headers = { 'accept-language': language }
    expect((await auth.get(`/callback?${query}`, { headers })).text).toContain(heading)
  })

  it('contains no code, token or secret of the browser', async () => {
    const { page } = await shown(pkce)
    const [, secret = ''] = /=([0-9a-f]{32});/.exec(page.headers.get('set-cookie') ?? '') ?? []
    expect(page.text).not.toContain(secret)
    expect(page.text).not.toMatch(/token of|access_token|code=/)
    const [row] = await auth.rows<{ text: string }>(
      'select s::text as text from auth.oauth_states s where proved_identity is not null order by created_at desc limit 1',
    )
    // A sealed value may contain any short text, so the subject is matched as a value.
    expect(row?.text).not.toMatch(/realm\.test|token of|["',(]kc-\d/)
  })
})

describe('S01: the form', () => {
  it.each<[string, (cookie: string) => Record<string, string>]>([
    ['without the cookie', () => ({})],
    ['with another cookie', (cookie) => ({ cookie: cookie.replace(/=.*/, `=${'0'.repeat(32)}`) })],
    ['from a page of another origin', (cookie) => ({ cookie, origin: 'https://evil.test' })],
    ['from a frame without an origin', (cookie) => ({ cookie, origin: 'null' })],
    ['across sites', (cookie) => ({ cookie, 'sec-fetch-site': 'cross-site' })],
    ['from another subdomain', (cookie) => ({ cookie, origin, 'sec-fetch-site': 'same-site' })],
  ])('is rejected %s, and stays valid for its own page', async (_case, headersFor) => {
    const { browser, form, page, before } = await shown()
    const [cookie = ''] = (page.headers.get('set-cookie') ?? '').split(';')
    const answer = await auth.post('/callback', form.toString(), {
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headersFor(cookie) },
    })
    expect([303, 403]).toContain(answer.status)
    expect(answer.headers.get('location') ?? '').not.toMatch(/access_token|code=[^&]*-/)
    expect(await stored()).toEqual(before)

    const { fragment } = redirectOf(await browser.submit('/callback', form))
    expect(fragment['access_token']).toBeTruthy()
  })

  it('is accepted from its own page, as browsers report it', async () => {
    for (const reported of [{ origin }, { origin, 'sec-fetch-site': 'same-origin' }]) {
      const { form, page } = await shown()
      const [cookie = ''] = (page.headers.get('set-cookie') ?? '').split(';')
      const type = { 'content-type': 'application/x-www-form-urlencoded' }
      const headers = { ...type, cookie, ...reported }
      const answer = await auth.post('/callback', form.toString(), { headers })
      expect(redirectOf(answer).fragment['access_token']).toBeTruthy()
    }
  })

  it('is accepted once of many concurrent submissions', async () => {
    const { browser, form, before } = await shown()
    const all = await Promise.all(
      Array.from({ length: 10 }, () => browser.submit('/callback', form)),
    )
    const linked = all.filter((answer) => redirectOf(answer).fragment['access_token'])
    expect(linked).toHaveLength(1)
    expect((await stored()).identities).toBe(before.identities + 1)
  })

  it('expires after the lifetime of a flow', async () => {
    const { browser, form, before } = await shown()
    auth.clock.advance(301)
    const { query } = redirectOf(await browser.submit('/callback', form))
    expect(query['error_code']).toBe('bad_oauth_state')
    expect((await stored()).identities).toBe(before.identities)
  })

  it('is checked against the present account', async () => {
    const { user, accessToken } = await auth.given.session()
    const { browser, form } = await shown({}, accessToken)
    await auth.auth.admin.updateUser(user.id, { banDuration: '1h' })
    const { query } = redirectOf(await browser.submit('/callback', form))
    expect(query['error_code']).toBe('user_banned')

    const other = await auth.given.session()
    const left = await shown({}, other.accessToken)
    await auth.post('/logout', undefined, { token: other.accessToken })
    const late = redirectOf(await left.browser.submit('/callback', left.form))
    expect(late.query['error_code']).toBe('session_not_found')
  })

  it('links to no account that has another name than the page showed', async () => {
    const { accessToken } = (await auth.auth.api.signInAnonymously({})).session
    const { browser, form, person, page } = await shown({}, accessToken)
    expect(page.text).toContain('A guest account')
    // With autoconfirm, which the tests use, the session stays valid.
    const change = { email: 'eve@evil.test', password: 'correct horse' }
    await auth.auth.api.updateUser({ accessToken, ...change })
    const { query, fragment } = redirectOf(await browser.submit('/callback', form))

    expect(query['error_code']).toBe('bad_oauth_state')
    expect(fragment['access_token']).toBeUndefined()
    expect(await auth.rows('select from auth.identities where subject = $1', [person.sub])).toEqual(
      [],
    )
  })

  it('is not accepted as a state, nor a state as its secret', async () => {
    const { browser, form } = await shown()
    const secret = form.get('confirmation') ?? ''
    const asState = await browser.sendCallback({ state: secret, code: realm.codeFor(newPerson()) })
    expect(asState.query['error_code']).toBe('bad_oauth_state')

    const state = await identities.startLinking((await auth.given.session()).accessToken)
    const asForm = new URLSearchParams({ confirmation: state, decision: 'link' })
    const { query } = redirectOf(await browser.submit('/callback', asForm))
    expect(query['error_code']).toBe('bad_oauth_state')
    expect(redirectOf(await browser.submit('/callback', form)).fragment).toHaveProperty(
      'access_token',
    )
  })

  it('still requires the code verifier at the exchange', async () => {
    const { browser, form } = await shown(pkce)
    const { query } = redirectOf(await browser.submit('/callback', form))
    const exchange = (code_verifier: string) =>
      auth.post('/token?grant_type=pkce', { auth_code: query['code'], code_verifier })
    expect((await exchange('x'.repeat(50))).status).toBe(400)
    expect((await exchange(codeVerifier)).status).toBe(200)
  })
})

describe('S01: the callback of a linking flow needs no confirmation', () => {
  it('in the browser whose cookie was set when the flow started', async () => {
    const { accessToken } = await auth.given.session()
    const browser = openBrowser(auth)
    const left = await browser.get(
      '/user/identities/authorize?provider=keycloak&skip_http_redirect=true',
      { token: accessToken },
    )
    const state = new URL(left.body.url).searchParams.get('state') ?? ''
    const { status, headers } = await identities.callback(state, newPerson(), browser)
    expect([status, headers.get('location')]).toEqual([
      302,
      expect.stringContaining('access_token'),
    ])
  })

  it('in a browser with the session that started it in its cookies, and no other', async () => {
    const sessions = openCookieSessions(auth.auth, { origin }, auth.clock)
    const [own, other] = [await auth.given.session(), await auth.given.session()]
    // A sign-in link of the attacker's own account plants such a session.
    const password = testPassword
    const planted = await auth.auth.api.signInWithPassword({
      email: own.user.email ?? '',
      password,
    })
    const callback = async ({ accessToken, refreshToken }: Omit<typeof own, 'user'>) => {
      const opened = await sessions.open(
        new Request(`${origin}/`, { headers: { 'sec-fetch-site': 'same-origin' } }),
      )
      await opened.keep({ accessToken, refreshToken })
      const headers = new Headers()
      opened.addHeaders(headers)
      const cookie = headers
        .getSetCookie()
        .map((line) => line.split(';')[0])
        .join('; ')
      const state = await identities.startLinking(own.accessToken)
      const query = new URLSearchParams({ state, code: realm.codeFor(newPerson()) })
      const request = new Request(`${origin}/callback?${query}`, {
        headers: { cookie, 'sec-fetch-site': 'cross-site' },
      })
      return (await sessions.fetch(request)).status
    }
    expect(await callback(other)).toBe(200)
    expect(await callback(planted.session)).toBe(200)
    expect(await callback(own)).toBe(302)
  })

  it('except for a header that claims a session', async () => {
    const { accessToken } = await auth.given.session()
    const { session_id: sessionId = '' } = claimsIn(accessToken)
    const state = await identities.startLinking(accessToken)
    const query = new URLSearchParams({ state, code: realm.codeFor(newPerson()) })
    const headers = {
      'latchkey.cookie-session': sessionId,
      authorization: `Bearer ${accessToken}`,
    }
    expect((await auth.get(`/callback?${query}`, { headers })).status).toBe(200)
  })
})
