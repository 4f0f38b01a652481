import { GoTrueClient } from '@supabase/auth-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AuthConfig } from '../src/platform/config/config.ts'
import { secondFactors } from './support/second-factors.ts'
import {
  startTestAuth,
  type TestAuth,
  testPassword,
  withoutAutoconfirm,
} from './support/test-auth.ts'

const usernames = { enabled: true } as const

/** Confirms addresses at once. */
let auth: TestAuth
/** Waits for addresses to be confirmed. */
let waiting: TestAuth

beforeAll(async () => {
  auth = await startTestAuth({ usernames })
  waiting = await startTestAuth({ ...withoutAutoconfirm, usernames })
})
afterAll(() => Promise.all([auth.close(), waiting.close()]))

let made = 0
const newEmail = () => `named-${++made}@example.test`
const newName = () => `person-${++made}`

const signUp = (body: object, on = auth, options = {}) =>
  on.post('/signup', { email: newEmail(), password: testPassword, ...body }, options)
const signIn = (body: object, on = auth, options = {}) =>
  on.post('/token?grant_type=password', { password: testPassword, ...body }, options)
const statusAndCode = ({ status, body }: { status: number; body: { error_code?: string } }) => [
  status,
  body.error_code,
]

/** A service that waits for confirmations, and the links that it mails, by address. */
async function startWithLinks(config: AuthConfig = {}) {
  const links = new Map<string, string>()
  const on = await startTestAuth({
    ...withoutAutoconfirm,
    usernames,
    ...config,
    hooks: {
      sendEmail: async ({ user, email_data: mail }) => {
        const query = `token=${mail.token_hash}&type=${mail.email_action_type}`
        links.set(String(user['email']), `http://auth.test/verify?${query}`)
      },
    },
  })
  const signedUp = async (body: object, options = {}) => {
    const email = newEmail()
    const answer = await signUp({ email, ...body }, on, options)
    await expect.poll(() => links.has(email)).toBe(true)
    return { email, answer }
  }
  const follow = (email: string) => on.get(`/verify${new URL(links.get(email) ?? '').search}`)
  return { on, links, signedUp, confirm: follow }
}

describe('a sign-up with a user name', () => {
  it('stores the name, shows it, and signs in by it in any letter case', async () => {
    const name = newName()
    const { status, body } = await signUp({ username: name.toUpperCase() })

    const signedIn = await signIn({ username: name.replace('person', 'PerSon') })

    expect([status, body.user.username]).toEqual([200, name])
    expect([signedIn.status, signedIn.body.user.id]).toEqual([200, body.user.id])
    expect((await signIn({ email: body.user.email })).status).toBe(200)
  })

  it.each([
    ['the same name', 'taken.name'],
    ['another letter case', 'Taken.Name'],
    ['Cyrillic letters', 'tаken.nаme'],
    ['full-width letters', 'ｔａｋｅｎ.name'],
    ['letters that look like one', 'taken.narne'],
  ])('rejects %s as a taken one, and creates no user', async (_case, username) => {
    const first = await signUp({ username: 'taken.name' })
    expect([200, 422]).toContain(first.status)
    const email = newEmail()

    const answer = await signUp({ email, username })

    expect(statusAndCode(answer)).toEqual([422, 'username_exists'])
    expect(answer.body.msg).toMatch(/^username: /)
    expect(await auth.auth.admin.findUser({ email })).toBeNull()
  })

  it.each([
    ['ab', 400],
    ['ada@example.test', 400],
    ['a'.repeat(65), 400],
    ['admin', 422],
    ['\u0430dmin', 422],
    ['Root', 422],
  ])('names the field for %s', async (username, status) => {
    const answer = await signUp({ username })

    expect(statusAndCode(answer)).toEqual([status, 'validation_failed'])
    expect(answer.body.msg).toMatch(/^username: /)
  })

  it.each([[5], [{}], [true]])('reports a name of another type: %j', async (username) => {
    expect(statusAndCode(await signUp({ username }))).toEqual([400, 'bad_json'])
  })

  it('creates no anonymous user where the address is missing', async () => {
    const open = await startTestAuth({ usernames, anonymousUsers: { enabled: true } })

    const answer = await open.post('/signup', { username: newName(), password: testPassword })

    expect(statusAndCode(answer)).toEqual([400, 'validation_failed'])
    expect(answer.body.msg).toMatch(/^username: /)
    expect(await open.rows('select from auth.users')).toEqual([])
    await open.close()
  })

  it('gives the name to one of two concurrent requests', async () => {
    const username = newName()

    const answers = await Promise.all(Array.from({ length: 4 }, () => signUp({ username })))

    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422, 422, 422])
    const rejected = answers.filter(({ status }) => status === 422)
    expect(rejected.map(({ body }) => body.error_code)).toEqual(Array(3).fill('username_exists'))
    expect(
      await auth.rows('select id from auth.users where username = $1', [username]),
    ).toHaveLength(1)
  })

  it('has the same name in two audiences, each for its own users', async () => {
    const username = newName()
    await auth.auth.admin.createUser({ email: newEmail(), audience: 'partners' })
    const headers = { 'x-jwt-aud': 'partners' }
    const own = await signUp({ username })

    const partner = await signUp({ username }, auth, { headers })

    expect(partner.status).toBe(200)
    expect(partner.body.user.id).not.toBe(own.body.user.id)
    const both = [await signIn({ username }), await signIn({ username }, auth, { headers })]
    expect(both.map(({ body }) => body.user.id)).toEqual([own.body.user.id, partner.body.user.id])
  })
})

describe('a sign-up that waits for a confirmation', () => {
  it('holds no name, so that a second sign-up does not reveal whether the address is known', async () => {
    const known = (await waiting.given.user(newEmail())).email ?? ''
    const [ofKnown, ofNew] = [newName(), newName()]
    await signUp({ email: known, username: ofKnown }, waiting)
    await signUp({ username: ofNew }, waiting)

    const after = [
      await signUp({ username: ofKnown }, waiting),
      await signUp({ username: ofNew }, waiting),
    ]

    expect(after.map(({ status }) => status)).toEqual([200, 200])
    expect(await signIn({ username: ofNew }, waiting)).toMatchObject({ status: 400 })
  })

  it('returns the same for a known and an unknown address, with a free and with a taken name', async () => {
    const known = (await waiting.given.user(newEmail())).email ?? ''
    const taken = newName()
    const holder = await waiting.given.user(newEmail())
    await waiting.auth.admin.updateUser(holder.id, { username: taken })

    const withTaken = [
      await signUp({ email: known, username: taken }, waiting),
      await signUp({ username: taken }, waiting),
    ]
    const username = newName()
    const withFree = [
      await signUp({ email: known, username }, waiting),
      await signUp({ username }, waiting),
    ]

    expect(withTaken.map(statusAndCode)).toEqual(Array(2).fill([422, 'username_exists']))
    expect(withFree.map(({ status }) => status)).toEqual([200, 200])
    const [fake, real] = withFree.map(({ body }) => Object.keys(body))
    expect(fake).toEqual(real)
    expect(withFree.map(({ body }) => body.username)).toEqual([username, username])
  })

  it('gives the name to the first that is confirmed; the others are confirmed without one', async () => {
    const { on, signedUp, confirm: follow } = await startWithLinks()
    const username = newName()
    const [one, other] = [await signedUp({ username }), await signedUp({ username })]

    await follow(other.email)
    await follow(one.email)

    const find = async (email: string) => on.auth.admin.findUser({ email })
    expect(await find(other.email)).toMatchObject({ username, emailConfirmedAt: expect.any(Date) })
    expect(await find(one.email)).toMatchObject({
      username: null,
      emailConfirmedAt: expect.any(Date),
    })
    expect((await signIn({ username }, on)).body.user?.email).toBe(other.email)
    await on.close()
  })

  it('gives the name to one of two users whose links are followed at the same time', async () => {
    const { on, signedUp, confirm: follow } = await startWithLinks()
    const username = newName()
    const people = [await signedUp({ username }), await signedUp({ username })]

    await Promise.all(people.map(({ email }) => follow(email)))

    const found = await Promise.all(people.map(({ email }) => on.auth.admin.findUser({ email })))
    expect(found.map((user) => user?.emailConfirmedAt)).toEqual(Array(2).fill(expect.any(Date)))
    expect(found.map((user) => user?.username).toSorted()).toEqual([username, null].toSorted())
    await on.close()
  })

  it('loses the name where requests of different clients compete for the address', async () => {
    const { on, links, signedUp, confirm: follow } = await startWithLinks()
    const username = newName()
    const { email } = await signedUp({ username }, { ip: '198.51.100.1' })
    links.delete(email)
    const other = { email, username: newName(), password: 'another horse' }
    await signUp(other, on, { ip: '192.0.2.1' })
    await expect.poll(() => links.has(email)).toBe(true)

    await follow(email)

    expect(await on.auth.admin.findUser({ email })).toMatchObject({ username: null })
    await on.close()
  })

  it('replaces the name of an earlier sign-up of the same client', async () => {
    const { on, links, signedUp, confirm: follow } = await startWithLinks()
    const username = newName()
    const { email } = await signedUp({ username: newName() })
    links.delete(email)
    await signUp({ email, username }, on)
    await expect.poll(() => links.has(email)).toBe(true)

    await follow(email)

    expect(await on.auth.admin.findUser({ email })).toMatchObject({ username })
    expect((await signIn({ username }, on)).status).toBe(200)
    await on.close()
  })
})

describe('a sign-in by user name', () => {
  it('returns the same for a wrong password, an unknown name and a malformed one', async () => {
    const username = newName()
    await signUp({ username })

    const answers = [
      await signIn({ username, password: 'wrong horse' }),
      await signIn({ username: newName() }),
      await signIn({ username: 'no name at all!' }),
      await signIn({ username: 'x'.repeat(5000) }),
    ]

    for (const { status, body } of answers) {
      expect([status, body.error_code, body.msg]).toEqual([
        400,
        'invalid_credentials',
        answers[0]?.body.msg,
      ])
    }
  })

  it('accepts a look-alike of the own name, as the user may type it', async () => {
    const username = `oscar${++made}`
    const { body } = await signUp({ username })

    expect((await signIn({ username: username.replace('o', '0') })).body.user.id).toBe(body.user.id)
  })

  it('waits after too many wrong passwords, whether or not a user has the name', async () => {
    const [known, unknown] = [newName(), newName()]
    await signUp({ username: known })
    const attempts = async (username: string) => {
      const statuses: number[] = []
      for (let attempt = 0; attempt < 52; attempt += 1) {
        const { status } = await signIn({ username, password: 'wrong horse' }, auth, {
          ip: '192.0.2.77',
        })
        statuses.push(status)
      }
      return statuses
    }

    const [ofKnown, ofUnknown] = [await attempts(known), await attempts(unknown)]

    expect(ofKnown).toEqual(ofUnknown)
    expect(ofKnown.at(-1)).toBe(429)
  })

  it('accepts exactly one of email, phone and user name', async () => {
    const username = newName()
    const { body } = await signUp({ username })

    const both = await signIn({ email: body.user.email, username })
    const none = await signIn({})

    expect([statusAndCode(both), statusAndCode(none)]).toEqual(
      Array(2).fill([400, 'validation_failed']),
    )
  })

  it('works in code', async () => {
    const username = newName()
    const input = { email: newEmail(), username, password: testPassword }
    const { user } = await auth.auth.api.signUp(input)

    const signedIn = await auth.auth.api.signInWithPassword({ username, password: testPassword })

    expect(user.username).toBe(username)
    expect(signedIn.user.id).toBe(user.id)
  })

  it('is rejected for a banned user who knows the password, and reveals no ban otherwise', async () => {
    const username = newName()
    const { body } = await signUp({ username })
    await auth.auth.admin.banUser(body.user.id)

    expect(statusAndCode(await signIn({ username }))).toEqual([400, 'user_banned'])
    expect(statusAndCode(await signIn({ username, password: 'wrong horse' }))).toEqual([
      400,
      'invalid_credentials',
    ])
  })
})

describe('a change of the user name', () => {
  const change = (token: string, username: unknown, on = auth) =>
    on.put('/user', { username }, { token })

  it('takes effect at once, and frees the earlier name', async () => {
    const [before, after] = [newName(), newName()]
    const { body } = await signUp({ username: before })

    const changed = await change(body.access_token, after)

    expect([changed.status, changed.body.username]).toEqual([200, after])
    expect((await signIn({ username: after })).status).toBe(200)
    expect((await signIn({ username: before })).status).toBe(400)
    expect((await signUp({ username: before })).status).toBe(200)
  })

  it('is rejected for a taken, reserved or malformed name, and changes nothing', async () => {
    const [own, others] = [newName(), newName()]
    await signUp({ username: others })
    const { body } = await signUp({ username: own })

    const answers = [
      await change(body.access_token, others.toUpperCase()),
      await change(body.access_token, 'support'),
      await change(body.access_token, 'a'),
    ]

    expect(answers.map(statusAndCode)).toEqual([
      [422, 'username_exists'],
      [422, 'validation_failed'],
      [400, 'validation_failed'],
    ])
    expect((await signIn({ username: own })).status).toBe(200)
  })

  it('to another form of the own name is possible', async () => {
    const { body } = await signUp({ username: `oscar${++made}x` })

    const { status } = await change(body.access_token, `0scar${made}x`)

    expect(status).toBe(200)
  })

  it('gives a name to one of two users who choose it at the same time', async () => {
    const username = newName()
    const sessions = [await auth.given.session(), await auth.given.session()]

    const answers = await Promise.all(
      sessions.map(({ accessToken }) => change(accessToken, username)),
    )

    expect(answers.map(({ status }) => status === 200).sort()).toEqual([false, true])
    for (const { status } of answers) expect([200, 409, 422]).toContain(status)
    expect(
      await auth.rows('select id from auth.users where username = $1', [username]),
    ).toHaveLength(1)
  })

  it('needs the second factor of a user who has one', async () => {
    const factors = secondFactors(auth)
    const { user, accessToken } = await factors.aal2Session()
    const weak = await factors.signIn(user.email)

    expect(statusAndCode(await change(weak.accessToken, newName()))).toEqual([
      401,
      'insufficient_aal',
    ])
    expect((await change(accessToken, newName())).status).toBe(200)
  })

  it('is rejected where changes are disabled; a user without a name chooses one', async () => {
    const fixed = await startTestAuth({ usernames: { enabled: true, changeEnabled: false } })
    const { accessToken } = await fixed.given.session()
    const username = newName()

    const first = await change(accessToken, username, fixed)
    const second = await change(accessToken, newName(), fixed)

    expect(first.body.username).toBe(username)
    expect(statusAndCode(second)).toEqual([422, 'validation_failed'])
    expect((await change(accessToken, username.toUpperCase(), fixed)).status).toBe(200)
    await fixed.close()
  })

  it('is not for an anonymous user', async () => {
    const open = await startTestAuth({ usernames, anonymousUsers: { enabled: true } })
    const { session } = await open.auth.api.signInAnonymously()

    expect(statusAndCode(await change(session.accessToken, newName(), open))).toEqual([
      422,
      'validation_failed',
    ])
    await open.close()
  })
})

describe('an operator', () => {
  it('gives, changes and looks up names, reserved ones too', async () => {
    const token = await auth.given.serviceToken()
    const body = {
      email: newEmail(),
      email_confirm: true,
      username: 'Support',
      password: testPassword,
    }

    const created = await auth.post('/admin/users', body, { token })
    const found = await auth.auth.admin.findUser({ username: 'SUPPORT' })
    const changed = await auth.put(
      `/admin/users/${created.body.id}`,
      { username: 'support.team' },
      { token },
    )

    expect([created.status, created.body.username]).toEqual([200, 'support'])
    expect(found?.id).toBe(created.body.id)
    expect(changed.body.username).toBe('support.team')
    expect((await signIn({ username: 'support.team' })).status).toBe(200)
    expect(await auth.auth.admin.findUser({ username: 'support' })).toBeNull()
  })

  it('receives an error for a taken name, and nothing changes', async () => {
    const [taken, own] = [newName(), newName()]
    await signUp({ username: taken })
    const email = newEmail()
    const { admin } = auth.auth
    const user = await admin.createUser({ email: newEmail(), username: own })

    await expect(admin.createUser({ email, username: taken })).rejects.toMatchObject({
      code: 'username_exists',
      status: 422,
    })
    await expect(admin.updateUser(user.id, { username: taken })).rejects.toMatchObject({
      code: 'username_exists',
    })
    await expect(admin.createUser({ email, username: 'a b' })).rejects.toMatchObject({
      code: 'validation_failed',
    })
    expect(await admin.findUser({ email })).toBeNull()
    expect((await admin.getUser(user.id)).username).toBe(own)
  })

  it('imports names; a taken or malformed one is refused by its record alone', async () => {
    const [taken, free] = [newName(), newName()]
    await signUp({ username: taken })
    const record = (username: string) => ({
      email: newEmail(),
      emailConfirm: true,
      username,
    })

    const records = [record(free), record(taken), record(free.toUpperCase()), record('a b c')]
    const dry = await auth.auth.admin.importUsers(records, { dryRun: true })
    const report = await auth.auth.admin.importUsers(records)
    const again = await auth.auth.admin.importUsers(records.slice(0, 1))

    expect(report).toMatchObject({ imported: 1, refused: 3 })
    expect(report.refusals).toMatchObject([
      { place: 1, code: 'username_exists', field: 'username' },
      { place: 2, code: 'username_exists', field: 'username' },
      { place: 3, code: 'validation_failed', field: 'username' },
    ])
    expect(dry.refused).toBe(3)
    expect(again).toMatchObject({ alreadyThere: 1, refused: 0 })
    expect(await auth.auth.admin.findUser({ username: free })).not.toBeNull()
  })

  it('exports the name with the attempts at it, and erases both', async () => {
    const username = newName()
    const { body } = await signUp({ username })
    await signIn({ username, password: 'wrong horse' })
    const attempts = () =>
      auth.rows('select key from auth.password_attempts').then((rows) => rows.length)

    const exported = await (await auth.auth.admin.exportUser(body.user.id)).read()
    const before = await attempts()
    await auth.auth.admin.eraseUser(body.user.id)

    expect(exported.user?.username).toBe(username)
    expect(exported.user).not.toHaveProperty('usernameKey')
    expect(exported.passwordAttempts.length).toBeGreaterThan(0)
    expect(await attempts()).toBe(before - exported.passwordAttempts.length)
    expect((await signUp({ username })).status).toBe(200)
  })

  it('frees the name of a user by a soft deletion', async () => {
    const username = newName()
    const { body } = await signUp({ username })

    await auth.auth.admin.deleteUser(body.user.id, { soft: true })

    expect((await auth.auth.admin.getUser(body.user.id)).username).toBeNull()
    expect((await signUp({ username })).status).toBe(200)
  })
})

it('the unmodified client keeps and renews a session that a user name opened', async () => {
  const client = new GoTrueClient({
    url: 'http://auth.test',
    autoRefreshToken: false,
    persistSession: false,
    fetch: (url, init) =>
      auth.auth.fetch(new Request(url, init as RequestInit), { ip: '192.0.2.9' }),
  })
  const username = newName()
  await signUp({ username })
  const { body } = await signIn({ username })

  const set = await client.setSession(body)
  const read = await client.getUser()
  const renewed = await client.refreshSession()
  const updated = await client.updateUser({ data: { theme: 'dark' } })

  expect([set.error, read.error, renewed.error, updated.error]).toEqual(Array(4).fill(null))
  expect(read.data.user).toMatchObject({ id: body.user.id, username })
  expect(updated.data.user).toMatchObject({ username, user_metadata: { theme: 'dark' } })
})

describe('where user names are not enabled', () => {
  it('the field is ignored, as any unknown one', async () => {
    const plain = await startTestAuth()
    const username = newName()

    const signedUp = await signUp({ username: 'a' }, plain)
    const token = signedUp.body.access_token
    const updated = await plain.put('/user', { username }, { token })
    const named = await signIn({ username }, plain)

    expect(signedUp.status).toBe(200)
    expect(signedUp.body.user).not.toHaveProperty('username')
    expect(updated.status).toBe(200)
    expect(updated.body).not.toHaveProperty('username')
    expect([...statusAndCode(named), named.body.msg]).toEqual([
      400,
      'validation_failed',
      'email: missing email or phone',
    ])
    await plain.close()
  })

  it('an import with names is refused, so that none is lost', async () => {
    const plain = await startTestAuth()

    const report = await plain.auth.admin.importUsers([{ email: newEmail(), username: 'ada' }])

    expect(report.refusals).toMatchObject([{ code: 'validation_failed', field: 'username' }])
    await plain.close()
  })
})

it('limits sign-ups per client before it reveals whether a name is taken', async () => {
  const limited = await startTestAuth({ usernames, rateLimits: { otp: 3 } })
  const username = newName()
  await signUp({ username }, limited)

  const answers = []
  for (let attempt = 0; attempt < 32; attempt += 1)
    answers.push(await signUp({ username }, limited))

  const codes = answers.map(({ body }) => body.error_code)
  expect(new Set(codes.slice(0, 29))).toEqual(new Set(['username_exists']))
  expect(new Set(codes.slice(29))).toEqual(new Set(['over_request_rate_limit']))
  await limited.close()
})
