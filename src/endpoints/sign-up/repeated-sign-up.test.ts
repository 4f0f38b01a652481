import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  startTestAuth,
  type TestAuth,
  testPassword,
  withoutAutoconfirm,
} from '../../../test/support/test-auth.ts'

/** Requires confirmation of addresses. */
let auth: TestAuth
/** Confirms addresses at once. */
let trusting: TestAuth

beforeAll(async () => {
  auth = await startTestAuth(withoutAutoconfirm)
  trusting = await startTestAuth()
})
afterAll(() => Promise.all([auth.close(), trusting.close()]))

let made = 0
const newEmail = () => `repeated-${++made}@example.test`
const newPhone = () => `49151${String(++made).padStart(8, '0')}`

const signUp = (body: object, on = auth) => on.post('/signup', { password: testPassword, ...body })

const storedUser = async (on: TestAuth, id: string) => {
  const [user] = await on.rows('select * from auth.users where id = $1', [id])
  return user
}
const storedTokens = (on: TestAuth, userId: string) =>
  on.rows('select * from auth.one_time_tokens where user_id = $1', [userId])

const uuid = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-/)

describe('a confirmed address', () => {
  it.each(['email', 'phone'])('by %s gets a response with a decoy user', async (kind) => {
    const address = kind === 'email' ? newEmail() : newPhone()
    const real = await auth.auth.admin.createUser({
      [kind]: address,
      [`${kind}Confirm`]: true,
      password: testPassword,
      appMetadata: { plan: 'secret' },
      userMetadata: { name: 'Ada' },
      role: 'staff',
    })
    auth.clock.advance(60)

    const fake = await signUp({ [kind]: address, data: { name: 'Eve' } })
    const fresh = await signUp({
      [kind]: kind === 'email' ? newEmail() : newPhone(),
      data: { name: 'Eve' },
    })

    expect(fake.status).toBe(fresh.status)
    expect(Object.keys(fake.body)).toEqual(Object.keys(fresh.body))
    expect([...fake.headers.keys()]).toEqual([...fresh.headers.keys()])
    expect(fake.body.id).toEqual(uuid)
    expect(fake.body.id).not.toBe(real.id)
    // Except for unique values, and the identities, by which applications detect a repeated
    // sign-up.
    const [id, freshId] = [fake.body.id, fresh.body.id]
    const comparable = JSON.parse(
      JSON.stringify({ ...fresh.body, identities: [] })
        .replaceAll(freshId, id)
        .replaceAll(fresh.body[kind], address),
    )
    expect(fake.body).toEqual(comparable)
    expect(await storedUser(auth, fake.body.id)).toBeUndefined()
  })

  it('keeps password, metadata and sessions, and gets no token', async () => {
    const { user, accessToken } = await auth.given.session(newEmail())
    const before = await storedUser(auth, user.id)
    auth.clock.advance(60)

    await signUp({ email: user.email, password: 'a password of Eve', data: { name: 'Eve' } })

    expect(await storedUser(auth, user.id)).toEqual(before)
    expect(await storedTokens(auth, user.id)).toEqual([])
    expect((await auth.get('/user', { token: accessToken })).status).toBe(200)
  })

  it.each([
    ['email', 422],
    ['phone', 400],
  ])(
    'by %s is an error %i where autoconfirm would need a session (rule 4)',
    async (kind, status) => {
      const address = kind === 'email' ? newEmail() : newPhone()
      await signUp({ [kind]: address }, trusting)

      const answer = await signUp({ [kind]: address }, trusting)

      expect([answer.status, answer.body.error_code, answer.body.msg]).toEqual([
        status,
        'user_already_exists',
        'User already registered',
      ])
    },
  )

  it('belongs to one user also with another audience in the request', async () => {
    const email = newEmail()
    await auth.given.user(email)
    await auth.auth.admin.createUser({ email: newEmail(), audience: 'elsewhere' })

    const { status, body } = await auth.post(
      '/signup',
      { email, password: testPassword },
      { headers: { 'x-jwt-aud': 'elsewhere' } },
    )
    const users = await auth.rows('select id from auth.users where email = $1', [email])

    expect([status, body.identities, users.length]).toEqual([200, [], 1])
  })
})

describe('an unconfirmed address', () => {
  it('belongs to the latest sign-up: password, metadata and link replace the earlier', async () => {
    const email = newEmail()
    const first = await signUp({
      email,
      password: 'the first password',
      data: { name: 'Eve', a: 1 },
    })
    const [before] = await storedTokens(auth, first.body.id)
    auth.clock.advance(120)

    const second = await signUp({ email, password: 'the second password', data: { name: 'Ada' } })
    const tokens = await storedTokens(auth, first.body.id)
    const { passwords } = await auth.deps()
    const hash = String((await storedUser(auth, first.body.id))?.['password_hash'])

    const stored = await auth.auth.admin.getUser(first.body.id)
    expect(stored.userMetadata).toEqual({
      name: 'Ada',
      sub: first.body.id,
      email,
      email_verified: false,
      phone_verified: false,
    })
    expect(stored.identities[0]?.identityData).toEqual(stored.userMetadata)
    expect(second.body.confirmation_sent_at).toBe(auth.clock.now().toISOString())
    expect(tokens).toHaveLength(1)
    expect(tokens[0]?.['token_hash']).not.toBe(before?.['token_hash'])
    expect(tokens[0]?.['code_hash']).not.toBe(before?.['code_hash'])
    expect(await passwords.verify(hash, 'the first password')).toBe(false)
    expect(await passwords.verify(hash, 'the second password')).toBe(true)
  })

  const ways: [string, (email: string) => Promise<unknown>][] = [
    ['that was new', async () => {}],
    ['that the same client signed up with', (email) => signUp({ email })],
    [
      'that another client signed up with',
      (email) => auth.post('/signup', { email, password: 'of Eve 1' }, { ip: '198.51.100.66' }),
    ],
    ['of a user whom an operator created', (email) => auth.auth.admin.createUser({ email })],
    ['of a user whom an operator invited', (email) => auth.auth.admin.inviteUser({ email })],
  ]

  it.each(ways)(
    '%s gets the response of a new one each time, but with the id of its account',
    async (_case, make) => {
      const email = newEmail()
      await make(email)
      const ada = { ip: '203.0.113.10' }
      const answers = []
      for (let time = 0; time < 3; time += 1) {
        auth.clock.advance(120)
        const { body } = await auth.post('/signup', { email, password: testPassword }, ada)
        answers.push(body)
        const now = auth.clock.now().toISOString()
        expect(body).toMatchObject({ created_at: now, updated_at: now, confirmation_sent_at: now })
        expect(body.user_metadata.sub).toBe(body.id)
        expect(body.identities).toMatchObject([{ user_id: body.id, created_at: now }])
      }

      const ids = answers.map(({ id, identities }) => `${id} ${identities[0].identity_id}`)
      expect(new Set(ids).size).toBe(1)
    },
  )

  it('contains no data that an operator stored with the account', async () => {
    const email = newEmail()
    await auth.auth.admin.createUser({
      email,
      phone: '+15550001',
      role: 'staff',
      banDuration: '24h',
      appMetadata: { plan: 'secret' },
    })

    const { status, body } = await signUp({ email, data: { name: 'Ada' } })

    expect(status).toBe(200)
    expect(body).toMatchObject({ phone: '', role: 'authenticated' })
    expect(body.app_metadata).toEqual({ provider: 'email', providers: ['email'] })
    expect(body.identities).toHaveLength(1)
    expect(body).not.toHaveProperty('banned_until')
  })

  it('removes the code challenge of the earlier link', async () => {
    const email = newEmail()
    const pkce = { code_challenge: 'c'.repeat(43), code_challenge_method: 's256' }
    const { body } = await signUp({ email, ...pkce })

    await signUp({ email })

    expect(await storedTokens(auth, body.id)).toEqual([
      expect.objectContaining({ code_challenge: null, code_challenge_method: null }),
    ])
  })

  it('is not confirmed by signing up again with autoconfirm (rule 4)', async () => {
    const email = newEmail()
    const user = await trusting.auth.admin.createUser({ email })

    const answer = await signUp({ email }, trusting)

    expect(answer.body).toMatchObject({ code: 422, error_code: 'user_already_exists' })
    expect((await trusting.auth.admin.getUser(user.id)).emailConfirmedAt).toBeNull()
  })

  it('is not replaced once another address of the account was confirmed', async () => {
    const email = newEmail()
    const user = await auth.auth.admin.createUser({
      email,
      phone: newPhone(),
      phoneConfirm: true,
      password: testPassword,
    })
    const before = await storedUser(auth, user.id)

    const { body } = await signUp({ email, password: 'a password of Eve' })

    expect(body.identities).toEqual([])
    expect(await storedUser(auth, user.id)).toEqual(before)
  })
})

it('does not change an address that is confirmed between look-up and write', async () => {
  const email = newEmail()
  const { body: user } = await signUp({ email, password: 'the password of Ada' })
  const before = (await storedUser(auth, user.id))?.['password_hash']
  const deps = await auth.deps()
  const { database } = deps
  const query: typeof database.sql.query = async (statement, values) => {
    if (statement.name === 'save_user') {
      deps.database = database
      await auth.auth.admin.updateUser(user.id, { emailConfirm: true })
    }
    return database.sql.query(statement, values)
  }
  deps.database = { ...database, sql: { ...database.sql, query } }

  const { status, body } = await signUp({ email, password: 'a password of Eve' })

  expect([status, body.identities]).toEqual([200, []])
  expect((await storedUser(auth, user.id))?.['password_hash']).toBe(before)
})

it('creates one user for twenty concurrent sign-ups with one address', async () => {
  const email = newEmail()

  const answers = await Promise.all(Array.from({ length: 20 }, () => signUp({ email }, trusting)))
  const users = await trusting.rows('select id from auth.users where email = $1', [email])

  const statuses = answers.map(({ status }) => status).toSorted()
  expect(users).toHaveLength(1)
  expect(statuses).toEqual([200, ...Array(19).fill(422)])
})

it('creates one user for twenty concurrent ones without autoconfirm, with the password of one of them', async () => {
  const email = newEmail()

  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => signUp({ email, password: `password ${index}` })),
  )
  const users = await auth.rows('select id from auth.users where email = $1', [email])
  const tokens = await storedTokens(auth, String(users[0]?.['id']))

  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
  expect([users.length, tokens.length]).toEqual([1, 1])
})
