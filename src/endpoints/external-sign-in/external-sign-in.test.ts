import { createHash } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  type FakeRealm,
  openBrowser,
  realmSettings,
  signInAtRealm,
  startFakeRealm,
  type TestBrowser,
} from '../../../test/support/fake-realm.ts'
import { type MessagingAuth, startMessagingAuth } from '../../../test/support/messages.ts'
import { testPassword } from '../../../test/support/test-auth.ts'

let realm: FakeRealm
let auth: MessagingAuth

beforeAll(async () => {
  realm = await startFakeRealm()
  auth = await startMessagingAuth({
    providers: { keycloak: realmSettings(realm), github: { enabled: false } },
    redirects: { allowList: ['https://docs.example.test/**'] },
  })
})
afterAll(async () => {
  await auth.close()
  await realm.close()
})
afterEach(() => {
  realm.fail = null
})

let count = 0
const newPerson = () => {
  const number = ++count
  return {
    sub: `kc-${number}`,
    name: 'Ann',
    email: `ann-${number}@example.test`,
    email_verified: true,
  }
}
const signIn = (
  person: Parameters<FakeRealm['codeFor']>[0],
  query?: Record<string, string>,
  browser?: TestBrowser,
) => signInAtRealm(auth, realm, person, query, browser)
const userOf = async (token: string | undefined) => (await auth.get('/user', { token })).body

describe('a sign-in through a provider', () => {
  it('ends in a session, with the tokens of the provider', async () => {
    const person = newPerson()
    const { status, location, fragment } = await signIn(person)

    expect(status).toBe(302)
    expect(location.origin).toBe('https://app.example.test')
    expect(fragment).toMatchObject({
      token_type: 'bearer',
      provider: 'keycloak',
      provider_token: expect.stringContaining('token of'),
      sb: '',
    })
    const user = await userOf(fragment['access_token'])
    expect(user).toMatchObject({
      email: person.email,
      app_metadata: { provider: 'keycloak', providers: ['keycloak'] },
      user_metadata: { name: 'Ann', sub: person.sub, email_verified: true },
      identities: [{ provider: 'keycloak', id: person.sub, email: person.email }],
    })
  })

  it("finds the same user again, and updates the provider's claims", async () => {
    const person = newPerson()
    const first = await signIn(person)
    const { id } = await userOf(first.fragment['access_token'])
    const second = await signIn({ ...person, name: 'Ann B', email: 'other@example.test' })
    const user = await userOf(second.fragment['access_token'])

    expect([user.id, user.email]).toEqual([id, person.email])
    expect(user.identities[0].identity_data).toMatchObject({
      name: 'Ann B',
      email: 'other@example.test',
    })
  })

  it('ends in a code for a client that submitted a code challenge', async () => {
    const verifier = 'v'.repeat(50)
    const challenge = createHash('sha256').update(verifier).digest('base64url')
    const browser = openBrowser(auth)
    const { state } = await browser.authorize({
      code_challenge: challenge,
      code_challenge_method: 's256',
      redirect_to: 'https://docs.example.test/in?sb_flow_id=f1#there',
    })
    const { location, query } = await browser.sendCallback({
      state,
      code: realm.codeFor(newPerson()),
    })
    expect(location.origin + location.pathname).toBe('https://docs.example.test/in')
    expect(query['sb_flow_id']).toBe('f1')
    const trade = (code_verifier: string) =>
      auth.post('/token?grant_type=pkce', { auth_code: query['code'], code_verifier })

    expect((await trade('x'.repeat(50))).body.error_code).toBe('bad_code_verifier')
    const { body } = await trade(verifier)
    expect(body).toMatchObject({
      access_token: expect.any(String),
      provider_token: expect.stringContaining('token of'),
    })
    expect((await trade(verifier)).status).toBe(404)
  })

  it('T27: is rejected in another browser, and with a used state', async () => {
    const browser = openBrowser(auth)
    const { state } = await browser.authorize()
    const code = realm.codeFor(newPerson())
    const otherBrowser = await openBrowser(auth).sendCallback({ state, code })
    const late = await browser.sendCallback({ state, code })

    expect(otherBrowser.query['error_code']).toBe('bad_oauth_state')
    expect(late.query['error_code']).toBe('bad_oauth_state')
    expect([otherBrowser.status, otherBrowser.fragment]).toEqual([303, {}])
  })

  it('accepts one of fifty callbacks with one state', async () => {
    const browser = openBrowser(auth)
    const { state } = await browser.authorize()
    const person = newPerson()
    const code = realm.codeFor(person)
    const all = await Promise.all(
      Array.from({ length: 50 }, () => browser.sendCallback({ state, code })),
    )
    expect(all.filter(({ fragment }) => fragment['access_token'])).toHaveLength(1)
    const sessions = await auth.rows(
      'select s.id from auth.sessions s join auth.users u on u.id = s.user_id where u.email = $1',
      [person.email],
    )
    expect(sessions).toHaveLength(1)
  })

  it('creates one user for twelve concurrent sign-ins of the same identity', async () => {
    const person = newPerson()
    const all = await Promise.all(Array.from({ length: 12 }, () => signIn(person)))
    const ids = await Promise.all(all.map(({ fragment }) => userOf(fragment['access_token'])))
    expect(new Set(ids.map(({ id }) => id)).size).toBe(1)
  })

  it('expires after five minutes', async () => {
    const browser = openBrowser(auth)
    const { state } = await browser.authorize()
    auth.clock.advance(300)
    const { query } = await browser.sendCallback({ state, code: realm.codeFor(newPerson()) })
    expect(query).toMatchObject({ error: 'invalid_request', error_code: 'bad_oauth_state' })
  })

  it.each(['token', 'userinfo'] as const)(
    'reports an error of a provider whose %s fails',
    async (part) => {
      realm.fail = part
      const { status, query } = await signIn(newPerson())
      expect(status).toBe(302)
      expect(query).toMatchObject({ error: 'server_error', error_code: 'unexpected_failure' })
      expect(query['error_description']).not.toContain('Bad gateway')
    },
  )

  it('reports the provider’s rejection in the provider’s words', async () => {
    const browser = openBrowser(auth)
    const { state } = await browser.authorize()
    const { query, fragment } = await browser.sendCallback({
      state,
      error: 'access_denied',
      error_description: 'No thanks',
    })
    expect(query).toEqual({ error: 'access_denied', error_description: 'No thanks' })
    expect(fragment).toEqual({ error: 'access_denied', error_description: 'No thanks', sb: '' })
  })

  it('rejects a profile without an address, and one without a subject', async () => {
    const { email: _, ...nameless } = newPerson()
    const { sub: __, ...headless } = newPerson()
    const answers = [await signIn(nameless), await signIn(headless as never)]
    expect(answers.map(({ query }) => query['error_code'])).toEqual([
      'unexpected_failure',
      'unexpected_failure',
    ])
  })
})

describe('an address that the provider has not verified', () => {
  it('gets a mail, and the requesting browser keeps the identity at the provider', async () => {
    const person = { ...newPerson(), email_verified: false }
    const browser = openBrowser(auth)
    const first = await signIn(person, {}, browser)
    expect(first.query).toMatchObject({
      error: 'access_denied',
      error_code: 'provider_email_needs_verification',
    })
    const mail = await auth.messageTo(person.email)
    const link = new URLSearchParams({ token: mail.hash, type: mail.type })
    await browser.get(`/verify?${link}`)

    const { fragment } = await signIn(person, {}, browser)
    expect(fragment['access_token']).toBeTruthy()
  })

  it('keeps no identity of the provider when another browser confirms it (rule 2)', async () => {
    const person = { ...newPerson(), email_verified: false }
    await signIn(person)
    const { url } = await auth.follow(await auth.messageTo(person.email))
    const token = new URLSearchParams(url?.hash.slice(1)).get('access_token') ?? ''
    const user = await userOf(token)
    expect(user.identities.map(({ provider }: { provider: string }) => provider)).toEqual(['email'])

    const again = await signIn(person)
    expect(again.query['error_code']).toBe('provider_email_needs_verification')
  })

  it('T11: finds no account', async () => {
    const { email } = await auth.given.user()
    const { query } = await signIn({ ...newPerson(), email: email ?? '', email_verified: false })
    expect(query['error_code']).toBe('provider_email_needs_verification')
  })
})

describe('T10: an account that an attacker registered', () => {
  it('keeps none of the attacker’s credentials once the provider verifies its address', async () => {
    const person = newPerson()
    await auth.post('/signup', {
      email: person.email,
      password: testPassword,
      data: { planted: 'yes' },
    })
    const { fragment } = await signIn(person)
    const user = await userOf(fragment['access_token'])
    expect(user.user_metadata['planted']).toBeUndefined()
    expect(user.identities.map(({ provider }: { provider: string }) => provider)).toEqual([
      'keycloak',
    ])
    const byPassword = await auth.post('/token?grant_type=password', {
      email: person.email,
      password: testPassword,
    })
    expect(byPassword.status).toBe(400)
  })

  it('stays unchanged where its address was confirmed, and is joined', async () => {
    const made = await auth.given.user()
    const person = { ...newPerson(), email: made.email ?? '' }
    const { fragment } = await signIn(person)
    const user = await userOf(fragment['access_token'])
    expect([user.id, user.app_metadata.providers]).toEqual([made.id, ['email', 'keycloak']])
    const byPassword = await auth.post('/token?grant_type=password', {
      email: person.email,
      password: testPassword,
    })
    expect(byPassword.status).toBe(200)
  })
})

describe('auth.api.signInWithOAuth', () => {
  const codeVerifier = 'v'.repeat(50)
  const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url')

  it('starts the flow that exchangeCodeForSession ends, with the tokens of the provider', async () => {
    const person = newPerson()
    const { url } = await auth.auth.api.signInWithOAuth({
      provider: 'keycloak',
      codeChallenge,
      codeChallengeMethod: 's256',
      redirectTo: 'https://docs.example.test/in',
      parameters: { prompt: 'login' },
    })
    const left = new URL(url).searchParams
    const state = left.get('state') ?? ''
    const { query } = await openBrowser(auth).sendCallback({ state, code: realm.codeFor(person) })
    const { user, providerTokens } = await auth.auth.api.exchangeCodeForSession({
      authCode: query['code'] ?? '',
      codeVerifier,
    })

    expect(left.get('prompt')).toBe('login')
    expect(user.email).toBe(person.email)
    expect(providerTokens).toEqual({
      accessToken: expect.stringContaining('token of'),
      refreshToken: null,
    })
  })

  it('requires a code challenge, because no cookie binds the browser', async () => {
    const without = auth.auth.api.signInWithOAuth({ provider: 'keycloak' } as never)
    await expect(without).rejects.toMatchObject({ code: 'validation_failed' })
  })
})

describe('GET /authorize', () => {
  it.each([
    ['no provider', {}],
    ['an unknown provider', { provider: 'unheard-of' }],
    ['one that is switched off', { provider: 'github' }],
    ['a name of every object', { provider: '__proto__' }],
    ['half a code challenge', { provider: 'keycloak', code_challenge: 'c'.repeat(43) }],
  ])('rejects %s', async (_case, query: Record<string, string>) => {
    const { status, body } = await auth.get(`/authorize?${new URLSearchParams(query)}`)
    expect([status, body.error_code]).toEqual([400, 'validation_failed'])
  })

  it('accepts a configured provider by the name that the types of the client allow', async () => {
    const { answer } = await openBrowser(auth).authorize({ provider: 'custom:keycloak' })
    expect(answer.status).toBe(302)
  })

  it('passes on the application’s parameters, and keeps ours', async () => {
    const { answer } = await openBrowser(auth).authorize({
      scopes: 'a,b',
      prompt: 'consent',
      state: 'forged',
      redirect_uri: 'https://evil.test/',
      request: 'forged',
      REQUEST_URI: 'https://evil.test/',
      apikey: 'key',
      redirect_to: 'https://docs.example.test/x',
    })
    const query = new URL(answer.headers.get('location') ?? '').searchParams
    expect(Object.fromEntries(query)).toMatchObject({
      scope: 'profile email a b',
      prompt: 'consent',
      code_challenge_method: 'S256',
      client_id: 'client',
    })
    expect(
      [...query.keys()].filter((name) => /apikey|redirect_to|provider|^request/i.test(name)),
    ).toEqual([])
    expect(query.get('state')).not.toBe('forged')
    expect(query.get('redirect_uri')).toBe('https://app.example.test/callback')
  })
})
