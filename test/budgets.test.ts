import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hashImportedToken } from '../src/accounts/sessions/refresh-token.ts'
import { createAuthenticator } from './support/authenticator.ts'
import { confirmationForm } from './support/confirmation-page.ts'
import {
  type FakeRealm,
  openBrowser,
  realmSettings,
  redirectOf,
  startFakeRealm,
} from './support/fake-realm.ts'
import { linking, newPerson } from './support/linking.ts'
import { type Cost, type MeteredAuth, startMeteredAuth } from './support/metered-auth.ts'
import { passkeysOf } from './support/passkeys.ts'
import { secondFactors } from './support/second-factors.ts'
import { plainKey, securityKeysOf, withSecurityKeys } from './support/security-keys.ts'
import { type Answer, testPassword, withoutAutoconfirm } from './support/test-auth.ts'
import { makeWallet, walletMessage } from './support/wallets.ts'

// The table of design.md §5, measured between the pool and PostgreSQL: statements, and round trips.

/** Confirms addresses automatically. */
let auth: MeteredAuth
/** Requires confirmation of addresses. */
let waiting: MeteredAuth

beforeAll(async () => {
  auth = await startMeteredAuth({
    web3: { ethereumEnabled: true },
    anonymousUsers: { enabled: true },
    passkeys: { enabled: true, signUpEnabled: true },
    mfa: { trustedDevices: { enabled: true }, webAuthn: withSecurityKeys.mfa.webAuthn },
  })
  waiting = await startMeteredAuth(withoutAutoconfirm)
})
afterAll(async () => {
  await auth.close()
  await waiting.close()
})

const budget = (statements: number, trips = statements) => ({ statements, trips })
const costOf = ({ statements, trips, hashes, names }: Cost) => ({
  statements,
  trips,
  hashes,
  names,
})

const refresh = (token: string) =>
  auth.post('/token?grant_type=refresh_token', { refresh_token: token })

const signIn = (email: string, password: string) =>
  auth.post('/token?grant_type=password', { email, password })

let emails = 0
const newEmail = () => `new${++emails}@example.test`

describe('an access token', () => {
  it('is verified without a statement', async () => {
    const { accessToken } = await auth.given.session()

    const cost = await auth.measure(() => auth.auth.verifyToken(accessToken))

    expect(cost).toMatchObject(budget(0))
  })

  it('is exchanged for its user in one statement, by the route and in code', async () => {
    const { accessToken } = await auth.given.session()
    const headers = { authorization: `Bearer ${accessToken}` }

    const route = await auth.measure(() => auth.get('/user', { token: accessToken }))
    const code = await auth.measure(() => auth.auth.requireUser({ headers }))

    expect(route.result.status).toBe(200)
    expect([route, code]).toMatchObject([budget(1), budget(1)])
  })

  it('is compared with a level and an age without a further statement; by the token only without any', async () => {
    const { accessToken } = await secondFactors(auth).aal2Session()
    const request = { headers: { authorization: `Bearer ${accessToken}` } }
    const required = { aal: 2, within: '5m' } as const
    const { requireUser } = auth.auth

    const costs = [
      await auth.measure(() => requireUser(request, required)),
      await auth.measure(() => requireUser(request, { ...required, strict: false })),
    ]
    auth.clock.advance(10 * 60)
    const rejection = (pending: Promise<unknown>) => pending.catch(({ code }) => code)
    const refused = [
      await auth.measure(() => rejection(requireUser(request, required))),
      await auth.measure(() => rejection(requireUser(request, { ...required, strict: false }))),
    ]

    expect(costs).toMatchObject([budget(1), budget(0)])
    expect(refused).toMatchObject([budget(1), budget(0)])
    expect(refused.map(({ result }) => result)).toEqual(Array(2).fill('reauthentication_needed'))
  })

  it('is exchanged for a user with second factors in one statement as well', async () => {
    const { accessToken } = await secondFactors(auth).aal2Session()

    const cost = await auth.measure(() => auth.get('/user', { token: accessToken }))

    expect(cost.result.body.factors).toHaveLength(1)
    expect(cost).toMatchObject(budget(1))
  })

  it('that is invalid costs nothing', async () => {
    const cost = await auth.measure(() => auth.get('/user', { token: 'no.good.token' }))

    expect(cost.result.status).toBe(403)
    expect(cost).toMatchObject(budget(0))
  })
})

describe('a sign-in through a provider', () => {
  it('is one statement at the redirect, and three at the callback, for a known identity and a new user', async () => {
    const realm = await startFakeRealm()
    const metered = await startMeteredAuth({ providers: { keycloak: realmSettings(realm) } })
    const person = { sub: 'ann', email: 'ann@example.test', email_verified: true }
    const browser = openBrowser(metered)
    const there = await metered.measure(() => browser.authorize())
    const back = async () => {
      const { state } = await browser.authorize()
      const code = realm.codeFor(person)
      return metered.measure(() => browser.sendCallback({ state, code }))
    }
    const [created, known] = [await back(), await back()]

    expect(known.result.fragment).toHaveProperty('access_token')
    expect(there).toMatchObject(budget(1))
    expect([created, known]).toMatchObject([budget(3), budget(3)])
    await metered.close()
    await realm.close()
  })
})

describe('a refresh', () => {
  it('is one statement, whether it rotates, repeats or detects reuse', async () => {
    const { refreshToken } = await auth.given.session()

    const first = await auth.measure(() => refresh(refreshToken))
    const again = await auth.measure(() => refresh(refreshToken))
    const second = await auth.measure(() => refresh(first.result.body.refresh_token))
    const reuse = await auth.measure(() => refresh(refreshToken))

    const costs = [first, again, second, reuse]
    expect(costs.map(({ result }) => result.status)).toEqual([200, 200, 200, 400])
    expect(costs).toMatchObject(costs.map(() => ({ ...budget(1), hashes: 0 })))
  })

  it('of a deleted session is one statement, of a forged token none', async () => {
    const { refreshToken, accessToken } = await auth.given.session()
    await auth.post('/logout', undefined, { token: accessToken })
    const forged = `A${'A'.repeat(50)}`

    const missing = await auth.measure(() => refresh(refreshToken))
    const malformed = await auth.measure(() => refresh(forged))

    expect(missing.result.body.error_code).toBe('refresh_token_not_found')
    expect(malformed.result.body.error_code).toBe('validation_failed')
    expect([missing, malformed]).toMatchObject([budget(1), budget(0)])
  })
})

describe('a refresh token of an imported session', () => {
  it('is exchanged, repeated and checked for reuse in one statement each', async () => {
    const { user } = await auth.given.session()
    const { roots } = await auth.deps()
    await auth.rows(
      `insert into auth.imported_tokens
       select $1, id from auth.sessions where user_id = $2`,
      [hashImportedToken(roots.current, 'abcdefghijkl'), user.id],
    )

    const first = await auth.measure(() => refresh('abcdefghijkl'))
    const again = await auth.measure(() => refresh('abcdefghijkl'))
    auth.clock.advance(10)
    const reuse = await auth.measure(() => refresh('abcdefghijkl'))
    const unknown = await auth.measure(() => refresh('lkjihgfedcba'))

    const costs = [first, again, reuse, unknown]
    expect(costs.map(({ result }) => result.status)).toEqual([200, 200, 400, 400])
    expect(costs).toMatchObject(costs.map(() => ({ ...budget(1), hashes: 0 })))
  })
})

describe('a sign-in by wallet', () => {
  it('is three statements for new and known users; one where the message was used before', async () => {
    const wallet = makeWallet('ethereum')
    const request = (statement: string) => {
      const message = walletMessage(wallet, auth.clock.now(), { statement })
      return { chain: 'ethereum', message, signature: wallet.sign(message) }
    }
    const signInBy = (body: object) => auth.measure(() => auth.post('/token?grant_type=web3', body))
    const second = request('second')

    const costs = [await signInBy(request('first')), await signInBy(second), await signInBy(second)]

    expect(costs.map(({ result }) => result.status)).toEqual([200, 200, 400])
    expect(costs).toMatchObject([budget(3), budget(3), budget(1)])
  })
})

describe('a trusted device', () => {
  it('raises a session with two statements, one of them to authenticate, whether or not it succeeds', async () => {
    const factors = secondFactors(auth)
    const { user, accessToken: token } = await factors.aal2Session()
    const trusted = await auth.measure(() => auth.post('/trusted-devices', {}, { token }))
    const { accessToken: weak } = await factors.signIn(user.email)
    const verify = (bearer: string) =>
      auth.post(
        '/trusted-devices/verify',
        { secret: trusted.result.body.secret },
        { token: bearer },
      )

    const right = await auth.measure(() => verify(weak))
    const reused = await auth.measure(() => verify(right.result.body.access_token))

    expect([right, reused].map(({ result }) => result.status)).toEqual([200, 404])
    expect([right, reused]).toMatchObject([budget(2), budget(2)])
    // One statement authenticates; a transaction locks, reads again and stores.
    expect(trusted).toMatchObject(budget(6))
  })
})

describe('a passkey', () => {
  it('signs in with two statements, whether or not it succeeds; its options are one', async () => {
    const passkeys = passkeysOf(auth)
    const { authenticator } = await passkeys.holder()
    const answer = async (forged: boolean) => {
      const requested = await passkeys.ask()
      const credential = authenticator.get(requested.body.options, { forged })
      return auth.measure(() => passkeys.answer(requested, credential))
    }

    const options = await auth.measure(() => passkeys.ask())
    const right = await answer(false)
    const wrong = await answer(true)
    const unknown = await passkeys.ask()
    const assertion = createAuthenticator().get(unknown.body.options)
    const unknownAnswer = await auth.measure(() => passkeys.answer(unknown, assertion))

    expect(options).toMatchObject(budget(1))
    expect([right, wrong, unknownAnswer].map(({ result }) => result.status)).toEqual([
      200, 400, 400,
    ])
    expect([right, wrong, unknownAnswer]).toMatchObject([budget(2), budget(2), budget(2)])
  })

  it('signs up with two statements; its options are one', async () => {
    const passkeys = passkeysOf(auth)

    const begun = await auth.measure(() => passkeys.beginSignUp())
    const credential = createAuthenticator().create(begun.result.body.options)
    const made = await auth.measure(() => passkeys.finishSignUp(begun.result, credential))

    expect([begun, made].map(({ result }) => result.status)).toEqual([200, 200])
    expect([begun, made]).toMatchObject([budget(1), budget(2)])
  })

  it('starts a registration with two statements, one of them to authenticate', async () => {
    const { accessToken } = await auth.given.session()

    const cost = await auth.measure(() => passkeysOf(auth).begin(accessToken))

    expect(cost.result.status).toBe(200)
    expect(cost).toMatchObject(budget(2))
  })
})

describe('a sign-in by password', () => {
  it('is two statements and one hash', async () => {
    const { email } = await auth.given.user()

    const cost = await auth.measure(() => signIn(email ?? '', testPassword))

    expect(cost.result.status).toBe(200)
    expect(costOf(cost)).toMatchObject({ ...budget(2), hashes: 1 })
  })

  it('costs the same for a wrong password as for an unknown user (rule 5)', async () => {
    const { email } = await auth.given.user()
    await auth.auth.admin.createUser({ email: 'nopassword@example.test', emailConfirm: true })

    const wrong = await auth.measure(() => signIn(email ?? '', 'wrong password'))
    const unknown = await auth.measure(() => signIn('nobody@example.test', testPassword))
    const without = await auth.measure(() => signIn('nopassword@example.test', testPassword))
    const malformed = await auth.measure(() => signIn('no address', testPassword))

    const costs = [wrong, unknown, without, malformed].map(costOf)
    expect(costs[0]).toMatchObject({ ...budget(2), hashes: 1 })
    expect(new Set(costs.map((cost) => JSON.stringify(cost))).size).toBe(1)
  })
})

describe('a user name', () => {
  it('signs in with two statements and one hash, known or unknown (rule 5)', async () => {
    const named = await startMeteredAuth({ usernames: { enabled: true } })
    const body = { email: newEmail(), username: 'ada.lovelace', password: testPassword }
    const signIn = (username: string, password = testPassword) =>
      named.post('/token?grant_type=password', { username, password })

    const signedUp = await named.measure(() => named.post('/signup', body))
    const taken = await named.measure(() =>
      named.post('/signup', { ...body, email: newEmail(), username: 'Ada.Lovelace' }),
    )
    const right = await named.measure(() => signIn('ADA.lovelace'))
    const wrong = await named.measure(() => signIn('ada.lovelace', 'wrong horse'))
    const unknown = await named.measure(() => signIn('grace.hopper'))
    const malformed = await named.measure(() => signIn('no name at all!'))

    const statuses = [signedUp, taken, right, wrong, unknown, malformed].map(
      ({ result }) => result.status,
    )
    expect(statuses).toEqual([200, 422, 200, 400, 400, 400])
    expect(signedUp).toMatchObject({ ...budget(3), hashes: 1 })
    expect(taken).toMatchObject({ ...budget(1), hashes: 0 })
    expect(right).toMatchObject({ ...budget(2), hashes: 1 })
    expect(costOf(unknown)).toEqual(costOf(wrong))
    expect(costOf(malformed)).toEqual(costOf(wrong))
    expect(costOf(wrong)).toMatchObject({ ...budget(2), hashes: 1 })
    await named.close()
  })

  it('costs a sign-up that waits for its confirmation one statement', async () => {
    const named = await startMeteredAuth({ ...withoutAutoconfirm, usernames: { enabled: true } })
    const signUp = (email: string, username?: string) =>
      named.measure(() => named.post('/signup', { email, username, password: testPassword }))
    const { email: known } = await named.given.user()

    const plain = await signUp(newEmail())
    const named1 = await signUp(newEmail(), 'ada.lovelace')
    const ofKnown = await signUp(known ?? '', 'grace.hopper')

    expect([plain, named1, ofKnown].map(({ result }) => result.status)).toEqual([200, 200, 200])
    expect(named1).toMatchObject(budget(plain.statements + 1, plain.trips + 1))
    expect(ofKnown).toMatchObject(budget(named1.statements, named1.trips))
    await named.close()
  })
})

describe('a request for a link', () => {
  it.each(['/otp', '/magiclink', '/recover'])(
    'by %s is two statements, for known and unknown addresses (rule 5)',
    async (path) => {
      const { email } = await waiting.given.user(newEmail())

      const known = await waiting.measure(() => waiting.post(path, { email }))
      const unknown = await waiting.measure(() => waiting.post(path, { email: newEmail() }))

      expect([known, unknown].map(({ result }) => result.status)).toEqual([200, 200])
      expect([known, unknown]).toMatchObject([budget(2), budget(2)])
    },
  )
})

describe('a sign-up', () => {
  it('with autoconfirm is two statements, session included', async () => {
    const cost = await auth.measure(() =>
      auth.post('/signup', { email: newEmail(), password: testPassword }),
    )

    expect(cost.result.body.access_token).toEqual(expect.any(String))
    expect(costOf(cost)).toMatchObject({ ...budget(2), hashes: 1 })
  })

  it('with autoconfirm costs as much for a taken address, except the hash, since the response reveals it', async () => {
    const email = newEmail()
    const signUp = () => auth.post('/signup', { email, password: testPassword })

    await signUp()
    const taken = await auth.measure(signUp)

    expect(taken.result.body.error_code).toBe('user_already_exists')
    expect(taken).toMatchObject({ ...budget(2), hashes: 0 })
  })

  it('that waits for confirmation costs the same for known and unknown addresses (rule 5)', async () => {
    const proved = newEmail()
    await waiting.given.user(proved)
    const unproved = newEmail()
    const signUp = (email: string) => () =>
      waiting.post('/signup', { email, password: testPassword })

    const fresh = await waiting.measure(signUp(unproved))
    const takenOver = await waiting.measure(signUp(unproved))
    const taken = await waiting.measure(signUp(proved))

    const costs = [fresh, takenOver, taken]
    expect(costs.map(({ result }) => result.status)).toEqual([200, 200, 200])
    expect(costs).toMatchObject(costs.map(() => ({ ...budget(2), hashes: 1 })))
  })

  it('for another audience costs the same, known and unknown (rule 5)', async () => {
    const taken = newEmail()
    await waiting.given.user(taken)
    const signUp = (email: string) => () =>
      waiting.post(
        '/signup',
        { email, password: testPassword },
        { headers: { 'x-jwt-aud': 'elsewhere' } },
      )

    const unknown = await waiting.measure(signUp(newEmail()))
    const known = await waiting.measure(signUp(taken))

    expect([known.statements, known.trips]).toEqual([unknown.statements, unknown.trips])
  })
})

describe('an anonymous sign-in', () => {
  it('is one statement, and two for an audience in the request', async () => {
    await auth.auth.admin.createUser({ email: newEmail(), audience: 'kiosk' })
    const inAudience = (headers: Record<string, string>) =>
      auth.measure(() => auth.post('/signup', {}, { headers }))

    const usual = await inAudience({})
    const other = await inAudience({ 'x-jwt-aud': 'kiosk' })

    expect([usual, other].map(({ result }) => result.status)).toEqual([200, 200])
    expect([usual, other]).toMatchObject([
      { ...budget(1), hashes: 0 },
      { ...budget(2), hashes: 0 },
    ])
  })
})

describe('a second factor', () => {
  // Verification and removal read the user again under a lock.
  it('is challenged in two statements, and verified in a transaction of five after them', async () => {
    const factors = secondFactors(auth)
    const { accessToken: token } = await auth.given.session()
    const app = await factors.enrolledApp(token)

    const challenged = await auth.measure(() => factors.challenge(token, app.id))
    const [id, code] = [challenged.result, factors.codeOf(app)]
    const wrong = await auth.measure(() => factors.answer(token, app.id, id, '000'))
    const right = await auth.measure(() => factors.answer(token, app.id, id, code))

    expect([wrong, right].map(({ result }) => result.status)).toEqual([422, 200])
    expect([challenged, wrong, right]).toMatchObject([budget(2), budget(2), budget(7)])
  })

  it('costs the same for a security key, registered or used', async () => {
    const keys = securityKeysOf(auth)
    const { accessToken: token } = await auth.given.session()
    const factorId = await keys.enroll(token)
    const authenticator = createAuthenticator()
    const optionsOf = (requested: { result: Answer }) =>
      requested.result.body.webauthn.credential_options.publicKey
    const ask = () => auth.measure(() => keys.ask(token, factorId))
    const answer = (requested: { result: Answer }, credential: object) =>
      auth.measure(() => keys.answer(token, factorId, requested.result, credential))

    const begun = await ask()
    const made = await answer(begun, authenticator.create(optionsOf(begun), plainKey))
    const requested = [await ask(), await ask()] as const
    const [first, second] = requested
    const forged = { ...plainKey, forged: true }
    const wrong = await answer(first, authenticator.get(optionsOf(first), forged))
    const right = await answer(second, authenticator.get(optionsOf(second), plainKey))

    expect([made, wrong, right].map(({ result }) => result.status)).toEqual([200, 422, 200])
    expect([begun, ...requested]).toMatchObject([budget(2), budget(2), budget(2)])
    expect([made, wrong, right].map(costOf)).toMatchObject([budget(7), budget(2), budget(7)])
  })

  it('is replaced by a recovery code in a transaction of five, after two statements', async () => {
    const factors = secondFactors(auth)
    const { codes, user, accessToken: strong } = await factors.recoverableSession()
    const { accessToken: token } = await factors.signIn(user.email)
    const path = '/factors/recovery-codes'

    const counted = await auth.measure(() => auth.get(path, { token }))
    const wrong = await auth.measure(() => factors.useCode(token, 'aaaabbbbccccdddd'))
    const right = await auth.measure(() => factors.useCode(token, codes[0] ?? ''))
    const replaced = await auth.measure(() =>
      auth.post(`${path}/regenerate`, undefined, { token: strong }),
    )
    const removed = await auth.measure(() => auth.request('DELETE', path, { token: strong }))
    const generated = await auth.measure(() => factors.generateCodes(strong))

    const costs = [counted, wrong, right, replaced, removed, generated]
    expect(costs.map(({ result }) => result.status)).toEqual([200, 422, 200, 200, 200, 200])
    expect(costs).toMatchObject([2, 2, 7, 6, 6, 6].map((count) => budget(count)))
  })

  it('is removed in a transaction of five', async () => {
    const { accessToken: token, app } = await secondFactors(auth).aal2Session()

    const cost = await auth.measure(() => secondFactors(auth).unenroll(token, app.id))

    expect(cost.result.status).toBe(200)
    expect(cost).toMatchObject(budget(6))
  })
})

describe('a sign-out', () => {
  it.each(['global', 'local', 'others'])('of scope %s is one statement', async (scope) => {
    const { accessToken } = await auth.given.session()

    const cost = await auth.measure(() =>
      auth.post(`/logout?scope=${scope}`, undefined, { token: accessToken }),
    )

    expect(cost.result.status).toBe(204)
    expect(cost).toMatchObject(budget(1))
  })

  it('is one statement when it is rejected, too', async () => {
    const { accessToken } = await auth.given.session()
    await auth.post('/logout', undefined, { token: accessToken })

    const cost = await auth.measure(() => auth.post('/logout', undefined, { token: accessToken }))

    expect(cost.result.status).toBe(403)
    expect(cost).toMatchObject(budget(1))
  })
})

describe('the sessions of a user', () => {
  it('are listed in two statements, and ended in two or, by scope, in one', async () => {
    const { accessToken: token, user } = await auth.given.session()
    const { session } = await auth.auth.api.signInWithPassword({
      email: user.email ?? '',
      password: testPassword,
    })
    const end = (path: string) => auth.request('DELETE', `/user/sessions${path}`, { token })

    const list = await auth.measure(() => auth.get('/user/sessions', { token }))
    const one = await auth.measure(() => end(`/${session.id}`))
    const none = await auth.measure(() => end(`/${session.id}`))
    const others = await auth.measure(() => end('?scope=others'))
    const all = await auth.measure(() => end('?scope=global'))

    const costs = [list, one, none, others, all]
    expect(costs.map(({ result }) => result.status)).toEqual([200, 204, 404, 204, 204])
    expect(costs).toMatchObject([2, 2, 2, 1, 1].map((count) => budget(count)))
  })

  it('are listed and ended by an operator in one statement each', async () => {
    const { user } = await auth.given.session()
    const token = await auth.given.serviceToken()
    const path = `/admin/users/${user.id}/sessions`

    const list = await auth.measure(() => auth.get(path, { token }))
    const id = list.result.body[0].id
    const one = await auth.measure(() => auth.request('DELETE', `${path}/${id}`, { token }))
    const all = await auth.measure(() => auth.request('DELETE', path, { token }))

    const costs = [list, one, all]
    expect(costs.map(({ result }) => result.status)).toEqual([200, 204, 204])
    expect(costs).toMatchObject(costs.map(() => budget(1)))
  })
})

describe('an operator', () => {
  it('creates a user in one statement and reads one in another', async () => {
    const token = await auth.given.serviceToken()
    const body = { email: newEmail(), password: testPassword, email_confirm: true }

    const created = await auth.measure(() => auth.post('/admin/users', body, { token }))
    const found = await auth.measure(() =>
      auth.get(`/admin/users/${created.result.body.id}`, { token }),
    )

    expect([created.result.status, found.result.status]).toEqual([200, 200])
    expect([created, found]).toMatchObject([budget(1), budget(1)])
  })

  it('imports a thousand users in one statement, and detects in two that they exist', async () => {
    const passwordHash = `$2b$10$${'a'.repeat(53)}`
    const records = Array.from({ length: 1000 }, () => ({ email: newEmail(), passwordHash }))

    const first = await auth.measure(() => auth.auth.admin.importUsers(records))
    const again = await auth.measure(() => auth.auth.admin.importUsers(records))

    expect([first, again]).toMatchObject([budget(1), budget(2)])
    expect([first.result.imported, again.result.alreadyThere]).toEqual([1000, 1000])
  })

  it('reads the audit log in one statement, searched or not', async () => {
    const token = await auth.given.serviceToken()
    await auth.given.user()

    const all = await auth.measure(() => auth.get('/admin/audit', { token }))
    const some = await auth.measure(() => auth.get('/admin/audit?query=author:host', { token }))

    expect([all, some].map(({ result }) => result.body.length)).not.toContain(0)
    expect([all, some]).toMatchObject([budget(1), budget(1)])
  })

  it('deletes a user in one statement, softly or for good', async () => {
    const token = await auth.given.serviceToken()
    const { id } = await auth.given.user()
    const remove = (body: object) => () =>
      auth.request('DELETE', `/admin/users/${id}`, { token, body })

    const soft = await auth.measure(remove({ should_soft_delete: true }))
    const hard = await auth.measure(remove({}))

    expect([soft, hard].map(({ result }) => result.status)).toEqual([200, 200])
    expect([soft, hard]).toMatchObject([budget(1), budget(1)])
  })

  it('lists and counts users in one statement, filtered or not', async () => {
    const token = await auth.given.serviceToken()
    await auth.given.user()

    const all = await auth.measure(() => auth.get('/admin/users?per_page=2', { token }))
    const some = await auth.measure(() => auth.get('/admin/users?filter=example', { token }))

    expect([all, some].map(({ result }) => result.body.users.length)).not.toContain(0)
    expect([all, some]).toMatchObject([budget(1), budget(1)])
  })

  it('with a user costs one more statement, for role, session and factors', async () => {
    const { user, accessToken: token } = await secondFactors(auth).aal2Session()
    const list = () => auth.get('/admin/users', { token })

    const refused = await auth.measure(list)
    await auth.auth.admin.updateUser(user.id, { role: 'service_role' })
    const listed = await auth.measure(list)

    expect([refused, listed].map(({ result }) => result.status)).toEqual([403, 200])
    expect([refused, listed]).toMatchObject([budget(1), budget(2)])
    expect(listed.names[0]).toBe('find_caller')
  })

  it('reads the decisions about 100 requests in one statement', async () => {
    const ids = Array.from({ length: 100 }, (_, index) => `request-${index}`)

    const cost = await auth.measure(() => auth.auth.admin.explain(ids))

    expect(cost).toMatchObject(budget(1))
  })
})

it('the proxy observes the statements of the service', async () => {
  const { names } = await auth.measure(() => signIn('nobody@example.test', testPassword))

  expect(names).toEqual(['find_for_sign_in_by_email', 'insert_audit_entries'])
})

describe('an erasure', () => {
  it('is an authentication with a reason, and then a transaction of three that holds a lock', async () => {
    const { user, accessToken } = await auth.given.session()

    const cost = await auth.measure(() =>
      auth.auth.api.deleteUser({ accessToken, password: testPassword }),
    )

    expect(costOf(cost)).toMatchObject({ ...budget(7), hashes: 1 })
    expect(cost.names).toEqual([
      'find_caller',
      'find_for_sign_in_by_email',
      null,
      'delete_person',
      'forget_attempts',
      'anonymize_audit_entries',
      null,
    ])
    await expect(auth.auth.admin.getUser(user.id)).rejects.toMatchObject({ status: 404 })
  })
})

describe('identities', () => {
  let realm: FakeRealm
  let linked: MeteredAuth

  beforeAll(async () => {
    realm = await startFakeRealm()
    linked = await startMeteredAuth({
      security: { manualLinkingEnabled: true },
      providers: { keycloak: realmSettings(realm) },
    })
  })
  afterAll(async () => {
    await linked.close()
    await realm.close()
  })

  it('are linked in four statements, after three for the page that confirms it, and unlinked in three', async () => {
    const { accessToken } = await linked.given.session()
    const identities = linking(linked, realm)
    const state = await identities.startLinking(accessToken)
    const browser = openBrowser(linked)

    const page = await linked.measure(() => identities.callback(state, newPerson(), browser))
    const form = confirmationForm(page.result.text)
    const link = await linked.measure(() => browser.submit('/callback', form))
    const [, identity] = await identities.identitiesOf(accessToken)
    const unlink = await linked.measure(() =>
      identities.unlink(accessToken, identity?.identity_id ?? ''),
    )

    expect(redirectOf(link.result).fragment['access_token']).toBeTruthy()
    expect(unlink.result.status).toBe(200)
    expect([page, link, unlink]).toMatchObject([budget(3), budget(4), budget(3)])
  })
})

describe('in a process that is frozen between requests', () => {
  let frozen: MeteredAuth
  beforeAll(async () => {
    frozen = await startMeteredAuth({ background: { frozenBetweenRequests: true } })
    // The first request sweeps rows.
    await frozen.get('/settings')
  })
  afterAll(() => frozen.close())

  it('costs nothing more while no background work is due', async () => {
    const { accessToken, refreshToken } = await frozen.given.session('frozen@example.test')
    const form = { email: 'frozen@example.test', password: testPassword }

    const user = await frozen.measure(() => frozen.get('/user', { token: accessToken }))
    const renewal = await frozen.measure(() =>
      frozen.post('/token?grant_type=refresh_token', { refresh_token: refreshToken }),
    )
    const entry = await frozen.measure(() => frozen.post('/token?grant_type=password', form))

    expect([user, renewal]).toMatchObject([budget(1), budget(1)])
    expect(entry.statements).toBeLessThanOrEqual(3)
    expect([user, renewal, entry].map(({ result }) => result.status)).toEqual([200, 200, 200])
  })
})
