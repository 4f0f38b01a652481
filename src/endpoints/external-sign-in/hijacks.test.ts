import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type CallbackResult,
  clubMember,
  clubSettings,
  type FakeRealm,
  openBrowser,
  realmSettings,
  redirectOf,
  signInAtRealm,
  startFakeRealm,
} from '../../../test/support/fake-realm.ts'
import {
  type DeliveredMessage,
  type MessagingAuth,
  startMessagingAuth,
} from '../../../test/support/messages.ts'
import { hostileTargets } from '../../../test/support/redirects/hostile-targets.ts'
import { testPassword, withoutAutoconfirm } from '../../../test/support/test-auth.ts'
import { sha256Hex } from '../../platform/kit/digest.ts'

let realm: FakeRealm
let otherRealm: FakeRealm
let auth: MessagingAuth
let lenient: MessagingAuth

beforeAll(async () => {
  realm = await startFakeRealm()
  otherRealm = await startFakeRealm()
  const config = {
    siteUrl: 'https://app.acme.test',
    providers: { keycloak: realmSettings(realm), club: clubSettings(otherRealm) },
    redirects: { allowList: ['https://docs.acme.test/**', 'https://*.acme.test/cb'] },
  }
  auth = await startMessagingAuth(config)
  lenient = await startMessagingAuth({
    ...config,
    email: { ...withoutAutoconfirm.email, allowUnverifiedSignIns: true },
  })
})
afterAll(async () => {
  await Promise.all([auth.close(), lenient.close()])
  await Promise.all([realm.close(), otherRealm.close()])
})

let count = 0
const newPerson = (email = `ann-${++count}@example.test`) => ({
  sub: `kc-${++count}`,
  email,
  email_verified: true,
})
const unverified = (email: string) => ({ ...newPerson(email), email_verified: false })
const rejection = ({ query }: CallbackResult) => [query['error'], query['error_code']]
const badState = ['invalid_request', 'bad_oauth_state']
const home = { ip: '198.51.100.1' }
const away = { ip: '203.0.113.200' }

describe('T27: a state', () => {
  it('is valid only for the provider that it was issued for', async () => {
    const browser = openBrowser(auth)
    const { state } = await browser.authorize({ provider: 'keycloak' })
    const code = otherRealm.codeFor(clubMember('a', [{ address: 'a@b.test', isVerified: true }]))
    const arrived = await browser.sendCallback({ state, code, provider: 'club' })
    expect(rejection(arrived)).toEqual(['server_error', 'unexpected_failure'])
  })

  it('of the attacker does not sign in a victim at the callback', async () => {
    const attacker = openBrowser(auth)
    const { state } = await attacker.authorize()
    const victim = openBrowser(auth)
    await victim.authorize()
    const led = await victim.sendCallback({ state, code: realm.codeFor(newPerson()) })
    expect(rejection(led)).toEqual(badState)
    expect(led.fragment).toEqual({})
    const late = await attacker.sendCallback({ state, code: realm.codeFor(newPerson()) })
    expect(rejection(late)).toEqual(badState)
  })

  it.each<[string, (name: string, secret: string) => string]>([
    ['several of that name', (name, secret) => `${name}=${'0'.repeat(32)}; ${name}=${secret}`],
    ['the same twice', (name, secret) => `${name}=${secret};${name}=${secret}`],
    ['an empty one', (name) => `${name}=`],
    ['one that is too long', (name) => `${name}=${'0'.repeat(20_000)}`],
    ['one of another form', (name) => `${name}=%00%ff`],
    ['the hash in place of the secret', (name, secret) => `${name}=${sha256Hex(secret)}`],
    ['another letter case', (name, secret) => `${name.toUpperCase()}=${secret}`],
    ['a neighbour of its name', (name, secret) => `x${name}=${secret}`],
    ['the name of plain http', (_name, secret) => `latchkey-browser=${secret}`],
  ])('is rejected with a tossed cookie: %s', async (_case, toss) => {
    const left = await auth.get('/authorize?provider=keycloak')
    const state = new URL(left.headers.get('location') ?? '').searchParams.get('state') ?? ''
    const [own = ''] = (left.headers.get('set-cookie') ?? '').split(';')
    const [name = '', secret = ''] = own.split('=')
    expect([name, secret.length]).toEqual(['__Host-latchkey-browser', 32])
    const query = new URLSearchParams({ state, code: realm.codeFor(newPerson()) })
    const headers = { cookie: toss(name, secret) }
    const answer = await auth.get(`/callback/keycloak?${query}`, { headers })
    expect(rejection(redirectOf(answer))).toEqual(badState)
  })

  it('is found among many cookies', async () => {
    const left = await auth.get('/authorize?provider=keycloak')
    const state = new URL(left.headers.get('location') ?? '').searchParams.get('state') ?? ''
    const [own = ''] = (left.headers.get('set-cookie') ?? '').split(';')
    const others = Array.from({ length: 300 }, (_, index) => `c${index}=v`)
    const query = new URLSearchParams({ state, code: realm.codeFor(newPerson()) })
    const cookie = [...others, own, 'broken', '=', ';;'].join('; ')
    const answer = await auth.get(`/callback/keycloak?${query}`, { headers: { cookie } })
    expect(redirectOf(answer).fragment['access_token']).toBeTruthy()
  })

  it('T28: is not a token of another kind', async () => {
    const { state } = await openBrowser(auth).authorize()
    const asCode = await auth.post('/token?grant_type=pkce', {
      auth_code: state,
      code_verifier: 'v'.repeat(43),
    })
    const asToken = await auth.get('/user', { token: state })
    const asRefresh = await auth.post('/token?grant_type=refresh_token', { refresh_token: state })
    const asLink = await auth.post('/verify', { type: 'signup', token_hash: state })
    expect([asCode, asToken, asRefresh, asLink].map(({ status }) => status)).toEqual([
      404, 403, 400, 403,
    ])
  })
})

describe('T24: a repeated parameter', () => {
  it.each([
    'provider',
    'redirect_to',
    'scopes',
    'code_challenge',
    'invite_token',
    'prompt',
    'nonce',
  ])('is rejected by /authorize: %s', async (name) => {
    const query = new URLSearchParams({ provider: 'keycloak' })
    if (name !== 'provider') query.append(name, 'a')
    query.append(name, 'b')
    const { status, body } = await auth.get(`/authorize?${query}`)
    expect([status, body.error_code]).toEqual([400, 'validation_failed'])
  })

  it.each(['state', 'code', 'error'])('is rejected by /callback: %s', async (name) => {
    const browser = openBrowser(auth)
    const repeated = async () => {
      const { state } = await browser.authorize()
      const values = { state, code: realm.codeFor(newPerson()), error: 'denied' }
      const query = new URLSearchParams({ state, code: values.code })
      if (name === 'error') query.append(name, values.error)
      query.append(name, values[name as 'state'])
      return query
    }
    for (const answer of [
      await browser.get(`/callback/keycloak?${await repeated()}`),
      await browser.submit('/callback/keycloak', await repeated()),
    ]) {
      // A response without a redirect would show the raw error in the browser.
      expect(answer.status).toBe(name === 'state' ? 303 : 302)
      const { searchParams } = new URL(answer.headers.get('location') ?? '')
      expect(searchParams.get('error_description')).toBe(`${name}: must not be repeated`)
    }
  })

  it('is rejected where it is in the query and in the form', async () => {
    const browser = openBrowser(auth)
    const { state } = await browser.authorize()
    const form = new URLSearchParams({ state, code: realm.codeFor(newPerson()) })
    const answer = await browser.submit(`/callback/keycloak?state=${state}`, form)
    expect(answer.headers.get('location') ?? '').not.toContain('access_token')
  })
})

describe('T18, T20: the redirect target', () => {
  it('is never a URL that only looks permitted', async () => {
    const targets = hostileTargets.filter((target) => target.isWellFormed())
    for (const target of targets) {
      const { status } = await auth.get(
        `/authorize?${new URLSearchParams({ provider: 'keycloak', redirect_to: target })}`,
      )
      expect([target, status === 302 || status === 400]).toEqual([target, true])
    }
    const stored = await auth.rows<{ redirect_to: string }>(
      'select distinct redirect_to from auth.oauth_states',
    )
    expect(stored.map(({ redirect_to }) => redirect_to)).toEqual(['https://app.acme.test'])
  })

  it('is not read from a header', async () => {
    for (const name of ['redirect_to', 'referer']) {
      const headers = { [name]: 'https://evil.test/' }
      const left = await auth.get('/authorize?provider=keycloak', { headers })
      const state = new URL(left.headers.get('location') ?? '').searchParams.get('state')
      const [row] = await auth.rows('select redirect_to from auth.oauth_states where id = $1', [
        state,
      ])
      expect(row).toEqual({ redirect_to: 'https://app.acme.test' })
    }
  })

  it('is not determined by a header of a proxy', async () => {
    const evil = 'evil.test'
    const headers = {
      host: evil,
      forwarded: `host=${evil};proto=http`,
      'x-forwarded-host': evil,
      'x-forwarded-proto': 'http',
      'x-forwarded-port': '81',
      'x-forwarded-prefix': '/evil.test',
      'x-forwarded-server': evil,
      'x-original-host': evil,
      'x-original-url': `https://${evil}/`,
      'x-rewrite-url': `https://${evil}/`,
      'x-host': evil,
      'x-external-url': `https://${evil}/`,
    }
    const browser = openBrowser(auth)
    const left = await browser.get('/authorize?provider=keycloak', { headers })
    const target = new URL(left.headers.get('location') ?? '')
    expect(target.searchParams.get('redirect_uri')).toBe('https://app.acme.test/callback/keycloak')
    const state = target.searchParams.get('state') ?? ''
    const query = new URLSearchParams({ state, code: realm.codeFor(newPerson()) })
    const answer = await browser.get(`/callback/keycloak?${query}`, { headers })
    expect(`${left.headers.get('location')} ${answer.headers.get('location')}`).not.toContain(evil)
  })

  it.each([
    ['markup', { error: '"><script>alert(1)</script>', error_description: '<b>x</b>' }],
    ['line breaks', { error: 'a\r\nSet-Cookie: x=1', error_description: 'b\r\nLocation: //evil' }],
    ['a fragment', { error: 'x#access_token=forged', error_description: '#access_token=forged' }],
    ['a query', { error: 'x&code=forged', error_description: 'y&access_token=forged' }],
    ['a lot', { error: 'e'.repeat(3000), error_description: 'd'.repeat(3000) }],
    ['a code of ours', { error: 'x', error_code: 'user_banned', error_description: 'y' }],
    ['a NUL', { error: 'a\0b', error_description: 'c\0d' }],
    ['half a character', { error: 'x', error_description: '\ud83d' }],
  ])('contains nothing from a forged error: %s', async (_case, forged) => {
    const browser = openBrowser(auth)
    const { state } = await browser.authorize({
      redirect_to: 'https://docs.acme.test/in?own=1#there',
    })
    const { status, location, query, fragment } = await browser.sendCallback({ state, ...forged })
    expect([status, location.origin]).toEqual([302, 'https://docs.acme.test'])
    expect(location.href.length).toBeLessThan(4000)
    expect(location.href).not.toMatch(/[<>"\s\0]/)
    for (const name of ['access_token', 'code', 'refresh_token', 'error_code']) {
      if (forged.error.includes('\0') && name === 'error_code') continue
      expect([query[name], fragment[name]]).toEqual([undefined, undefined])
    }
  })
})

describe('POST /callback', () => {
  it.each([
    ['JSON', 'application/json', (state: string) => JSON.stringify({ state, code: 'c' })],
    [
      'a form of parts',
      'multipart/form-data; boundary=x',
      (state: string) =>
        `--x\r\ncontent-disposition: form-data; name="state"\r\n\r\n${state}\r\n--x--`,
    ],
    ['plain text', 'text/plain', (state: string) => `state=${state}&code=c`],
    ['nothing', 'application/x-www-form-urlencoded', () => ''],
    ['another charset', 'application/x-www-form-urlencoded; charset=utf-16', () => '\0s\0t'],
    ['far too much', 'application/x-www-form-urlencoded', () => `state=${'x'.repeat(65_536)}`],
    ['very many fields', 'application/x-www-form-urlencoded', () => 'a=1&'.repeat(10_000)],
  ])('signs in no user by %s', async (_case, type, bodyOf) => {
    const browser = openBrowser(auth)
    const { state } = await browser.authorize()
    const answer = await auth.post('/callback/keycloak', bodyOf(state), {
      headers: { 'content-type': type },
    })
    expect(answer.status).toBeLessThan(500)
    expect(answer.headers.get('location') ?? '').not.toContain('access_token')
  })
})

describe('T14: an invitation', () => {
  const invited = async (email = `guest-${++count}@example.test`) => {
    const user = await auth.auth.admin.inviteUser({ email })
    const { hash } = await auth.messageTo(email)
    return { email, hash, user }
  }
  const accept = (hash: string, person: ReturnType<typeof newPerson>) =>
    signInAtRealm(auth, realm, person, { invite_token: hash })

  it('is not accepted by a user without the verified address', async () => {
    const { email, hash, user } = await invited()
    for (const person of [unverified(email), newPerson(), newPerson(`${email}.evil.test`)]) {
      expect(rejection(await accept(hash, person))).toEqual([
        'invalid_request',
        'validation_failed',
      ])
    }
    expect((await auth.auth.admin.getUser(user.id)).emailConfirmedAt).toBeNull()
    const accepted = await accept(hash, newPerson(email.toUpperCase()))
    expect(accepted.fragment['access_token']).toBeTruthy()
  })

  it('ends changes of address and data of a session from before it, accepted at a provider', async () => {
    const email = `guest-${++count}@example.test`
    const before = await signInAtRealm(lenient, realm, unverified(email))
    const token = before.fragment['access_token']
    const planted = { email: `eve-${count}@example.test`, data: { title: 'planted' } }
    expect((await lenient.put('/user', planted, { token })).status).toBe(200)
    const { id } = await lenient.auth.admin.inviteUser({ email, data: { team: 'blue' } })
    const { hash } = await lenient.messageTo(email)

    const accepted = await signInAtRealm(lenient, realm, newPerson(email), { invite_token: hash })

    expect(accepted.fragment['access_token']).toBeTruthy()
    const user = await lenient.auth.admin.getUser(id)
    expect(user).toMatchObject({ email, newEmail: null, userMetadata: { team: 'blue' } })
    expect(user.userMetadata).not.toHaveProperty('title')
  })

  it('is not accepted at a provider once an operator has confirmed an address', async () => {
    const phone = `+4479460${String(++count).padStart(5, '0')}`
    const byPhone = await auth.auth.admin.createUser({
      email: `guest-${count}@example.test`,
      phone,
    })
    await auth.auth.admin.inviteUser({ email: byPhone.email ?? '' })
    const first = await auth.messageTo(byPhone.email ?? '')
    await auth.auth.admin.updateUser(byPhone.id, { phoneConfirm: true })
    const second = await invited()
    await auth.auth.admin.updateUser(second.user.id, { emailConfirm: true })
    for (const [hash, email] of [
      [first.hash, byPhone.email ?? ''],
      [second.hash, second.email],
    ] as const) {
      expect(rejection(await accept(hash, newPerson(email)))).toEqual([
        'server_error',
        'invite_not_found',
      ])
    }
    expect(await auth.auth.admin.getUser(byPhone.id)).toMatchObject({ phone: phone.slice(1) })
  })

  it('is accepted once, and its link is consumed', async () => {
    const { email, hash } = await invited()
    const both = await Promise.all([accept(hash, newPerson(email)), accept(hash, newPerson(email))])
    expect(both.filter(({ fragment }) => fragment['access_token'])).toHaveLength(1)
    const { fragment } = await auth.follow(await auth.messageTo(email))
    expect(fragment.get('access_token')).toBeNull()
  })

  it('is not accepted by the account of another user', async () => {
    const { email, hash } = await invited()
    const person = newPerson()
    await signInAtRealm(auth, realm, person)
    const arrived = await accept(hash, { ...person, email })
    expect(rejection(arrived)).toEqual(['server_error', 'identity_already_exists'])
  })

  it('is not accepted from the mail of a sign-up or a recovery', async () => {
    const email = `ann-${++count}@example.test`
    await auth.post('/signup', { email, password: testPassword })
    const { hash } = await auth.messageTo(email)
    expect(rejection(await accept(hash, newPerson(email)))).toEqual([
      'server_error',
      'invite_not_found',
    ])
    const { email: known } = await auth.given.user()
    await auth.post('/recover', { email: known })
    const recovery = await auth.messageTo(known ?? '')
    const { status } = await auth.get(
      `/authorize?${new URLSearchParams({ provider: 'keycloak', invite_token: recovery.hash })}`,
    )
    expect(status).toBe(404)
  })

  it('is rejected once the invitation is deleted, also during a sign-in at the provider', async () => {
    const { email, hash, user } = await invited()
    const browser = openBrowser(auth)
    const { state } = await browser.authorize({ invite_token: hash })
    await auth.auth.admin.deleteUser(user.id)
    const arrived = await browser.sendCallback({ state, code: realm.codeFor(newPerson(email)) })
    expect(rejection(arrived)).toEqual(['server_error', 'invite_not_found'])
  })
})

describe.each([
  ['another network', away],
  ['the same network', home],
])(
  'T10: an attacker in %s who has the address at a provider that did not verify it',
  (_network, there) => {
    const providersOf = async (on: MessagingAuth, email: string) =>
      (
        await on.rows<{ provider: string }>(
          `select i.provider from auth.identities i join auth.users u on u.id = i.user_id
          where u.email = $1 order by i.provider`,
          [email],
        )
      ).map(({ provider }) => provider)
    const at = (on: MessagingAuth, options: { ip: string }): Pick<MessagingAuth, 'request'> => ({
      request: (method, path, more) => on.request(method, path, { ...more, ...options }),
    })
    const attack = (on: MessagingAuth, person: ReturnType<typeof newPerson>) =>
      signInAtRealm(at(on, there), realm, person)
    const confirm = async (on: MessagingAuth, mail: DeliveredMessage) => {
      const query = new URLSearchParams({ token: mail.hash, type: mail.type })
      return openBrowser(at(on, home)).get(`/verify?${query}`)
    }

    it.each([
      [
        'signs up',
        (on: MessagingAuth, email: string) =>
          on.post('/signup', { email, password: testPassword }, home),
      ],
      ['requests a link', (on: MessagingAuth, email: string) => on.post('/otp', { email }, home)],
      [
        'has the password reset',
        (on: MessagingAuth, email: string) => on.post('/recover', { email }, home),
      ],
    ])('does not access the account of the owner, who then %s', async (_case, come) => {
      const person = unverified(`victim-${++count}@example.test`)
      await attack(auth, person)
      await come(auth, person.email)
      const mail = await auth.messageTo(person.email)
      await attack(auth, person)
      const { headers } = await confirm(auth, mail)
      await attack(auth, person)

      expect(headers.get('location')).toContain('access_token')

      expect(await providersOf(auth, person.email)).not.toContain('keycloak')
      expect((await attack(auth, person)).fragment['access_token']).toBeUndefined()
    })

    it('leaves no metadata on the account after a proof', async () => {
      const person = unverified(`victim-${++count}@example.test`)
      await attack(auth, { ...person, name: 'Mallory' } as never)
      const data = { name: 'Ann' }
      await auth.post('/signup', { email: person.email, password: testPassword, data }, home)
      const mail = await auth.messageTo(person.email)
      await attack(auth, { ...person, name: 'Mallory', picture: 'https://evil.test/' } as never)
      await confirm(auth, mail)
      const [user] = await auth.rows<{ user_metadata: Record<string, unknown> }>(
        'select user_metadata from auth.users where email = $1',
        [person.email],
      )
      expect(JSON.stringify(user?.user_metadata)).not.toMatch(/Mallory|evil|kc-/)
    })

    it('does not access the account of an owner that had signed up before', async () => {
      const person = unverified(`victim-${++count}@example.test`)
      await auth.post('/signup', { email: person.email, password: testPassword }, home)
      const mail = await auth.messageTo(person.email)
      await attack(auth, person)
      const { headers } = await confirm(auth, mail)
      expect(headers.get('location')).toContain('access_token')
      expect((await attack(auth, person)).fragment['access_token']).toBeUndefined()
      expect(await providersOf(auth, person.email)).toEqual(['email'])
    })

    it('loses the session that an unverified sign-in opened', async () => {
      const person = unverified(`victim-${++count}@example.test`)
      const { fragment } = await attack(lenient, person)
      const token = fragment['access_token']
      expect((await lenient.get('/user', { token })).status).toBe(200)
      await lenient.post('/signup', { email: person.email, password: testPassword }, home)
      await confirm(lenient, await lenient.messageTo(person.email))

      expect((await lenient.get('/user', { token })).status).toBe(403)
      expect(await providersOf(lenient, person.email)).toEqual(['email'])
      const refreshed = await lenient.post('/token?grant_type=refresh_token', {
        refresh_token: fragment['refresh_token'],
      })
      expect(refreshed.status).toBe(400)
    })

    /** Returns a function that exchanges the code for a session of an unverified sign-in. */
    const attackForCode = async (person: ReturnType<typeof newPerson>) => {
      const verifier = 'v'.repeat(43)
      const challenge = { code_challenge: verifier, code_challenge_method: 'plain' }
      const { query } = await signInAtRealm(at(lenient, there), realm, person, challenge)
      expect(query['code']).toBeTruthy()
      const exchange = { auth_code: query['code'], code_verifier: verifier }
      return () => lenient.post('/token?grant_type=pkce', exchange, there)
    }

    it('loses the code for a session when an operator creates the user', async () => {
      const person = unverified(`victim-${++count}@example.test`)
      const exchange = await attackForCode(person)

      await lenient.auth.admin.createUser({ email: person.email, emailConfirm: true })

      expect((await exchange()).body.error_code).toBe('flow_state_not_found')
    })

    it('has no session by a code from before the sign-up of the owner', async () => {
      const person = unverified(`victim-${++count}@example.test`)
      const exchange = await attackForCode(person)
      await lenient.post('/signup', { email: person.email, password: testPassword }, home)
      const { body } = await exchange()

      await confirm(lenient, await lenient.messageTo(person.email))

      const token = body.access_token ?? 'none'
      expect((await lenient.get('/user', { token })).status).toBeOneOf([401, 403])
    })
  },
)

describe('the cookie of a browser', () => {
  it('expires after the time that a sign-in at a provider may take', async () => {
    const slow = await startMessagingAuth({
      providers: { keycloak: realmSettings(realm) },
      externalSignIn: { lifetimeSeconds: 7200 },
    })
    const { headers } = await slow.get('/authorize?provider=keycloak')
    await slow.close()
    expect(headers.get('set-cookie')).toContain('Max-Age=7200')
  })
})

describe('T10: the owner who waits for the confirmation mail of a sign-in', () => {
  it('keeps the account there, despite requests of others', async () => {
    const person = unverified(`victim-${++count}@example.test`)
    const browser = openBrowser(auth)
    await signInAtRealm(auth, realm, person, {}, browser)
    const [mail] = await auth.messagesTo(person.email)
    await auth.post('/signup', { email: person.email, password: testPassword }, away)
    await auth.post('/otp', { email: person.email }, away)
    await signInAtRealm(auth, realm, unverified(person.email))
    const query = new URLSearchParams({ token: mail?.hash ?? '', type: mail?.type ?? '' })
    const { headers } = await browser.get(`/verify?${query}`)

    expect(headers.get('location')).toContain('access_token')
    const again = await signInAtRealm(auth, realm, person, {}, browser)
    expect(again.fragment['access_token']).toBeTruthy()
    const byPassword = await auth.post('/token?grant_type=password', {
      email: person.email,
      password: testPassword,
    })
    expect(byPassword.status).toBe(400)
  })
})
