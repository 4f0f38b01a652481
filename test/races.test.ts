import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask, serviceToken } from './support/ask.ts'
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from './support/database.ts'
import { atOnce, numbers, type ServerPair, startPair } from './support/server-pair.ts'
import { startServer } from './support/server-process.ts'
import { runSql } from './support/sql.ts'
import { type Answer, testSecret } from './support/test-auth.ts'

const password = 'correct horse'

let database: TestDatabase
let pair: ServerPair
/** Leaves new addresses unconfirmed. */
let confirming: ServerPair

const refresh = (refreshToken: string): Promise<Answer> =>
  pair.post('/token?grant_type=refresh_token', { refresh_token: refreshToken })

async function signedUp(name: string): Promise<{ access: string; refresh: string }> {
  const { body } = await pair.post('/signup', { email: `${name}@example.test`, password })
  return { access: body.access_token, refresh: body.refresh_token }
}

const count = async (table: string, condition: string, value: string): Promise<number> => {
  const text = `select count(*)::int as count from auth.${table} where ${condition}`
  const [row] = await runSql(database.url, { text, values: [value] })
  return Number(row?.count)
}

const distinct = <T>(values: T[]): T[] => [...new Set(values)]
const statuses = (answers: Answer[]) => distinct(answers.map(({ status }) => status))
const errorCodes = (answers: Answer[]) => distinct(answers.map(({ body }) => body.error_code))

beforeAll(async () => {
  database = await createTestDatabase()
  const pool = { AUTH_DB_MAX_POOL_SIZE: '10' }
  ;[pair, confirming] = await Promise.all([
    startPair(database.url, pool),
    startPair(database.url, {
      ...pool,
      AUTH_MAILER_AUTOCONFIRM: 'false',
      AUTH_SMTP_HOST: 'mail.example.test',
      AUTH_SMTP_PORT: '587',
      AUTH_SMTP_USER: 'a',
      AUTH_SMTP_PASS: 'b',
      AUTH_SMTP_ADMIN_EMAIL: 'no-reply@example.test',
      AUTH_SMTP_MAX_FREQUENCY: '0',
      AUTH_RATE_LIMIT_EMAIL_SENT: 'off',
    }),
  ])
})

afterAll(async () => {
  await Promise.all([pair?.stop(), confirming?.stop()])
  await database?.drop()
})

describe('sessions, over two processes', () => {
  it('T01: 100 parallel refreshes of one token return one child', async () => {
    const { refresh: parent } = await signedUp('t01')

    const answers = await atOnce(numbers(100), () => refresh(parent))

    expect(statuses(answers)).toEqual([200])
    const children = distinct(answers.map(({ body }) => body.refresh_token))
    expect(children).toHaveLength(1)
    expect(children).not.toContain(parent)
  })

  it('T02: a token two behind ends the session, the newest token with it', async () => {
    const { refresh: grandparent } = await signedUp('t02')
    const [parent] = await atOnce(numbers(100), () => refresh(grandparent))
    const child = await refresh(parent?.body.refresh_token)

    const replays = await atOnce(numbers(10), () => refresh(grandparent))
    const newest = await refresh(child.body.refresh_token)
    const user = await pair.ask('GET', '/user', { token: child.body.access_token })

    expect(child.status).toBe(200)
    expect(statuses([...replays, newest])).toEqual([400])
    expect(errorCodes([...replays, newest])).toEqual(['refresh_token_already_used'])
    expect(user.body.error_code).toBe('session_not_found')
  })

  it('are not restored by a refresh during a sign-out', async () => {
    const { access: token, refresh: parent } = await signedUp('leaving')

    const [signOut, ...refreshes] = await Promise.all([
      pair.ask('POST', '/logout', { token }),
      ...numbers(20).map(() => refresh(parent)),
    ])

    const children = refreshes.flatMap(({ body }) => body.refresh_token ?? [])
    const later = await atOnce(distinct([parent, ...children]), refresh)
    expect(signOut.status).toBe(204)
    expect(errorCodes(later)).toEqual(['refresh_token_not_found'])
    expect(statuses(refreshes).filter((status) => status !== 200 && status !== 400)).toEqual([])
  })
})

describe('users, over two processes', () => {
  it('are created once by 50 parallel sign-ups of one address, one of which is signed in', async () => {
    const email = 'race@example.test'

    const answers = await atOnce(numbers(50), () => pair.post('/signup', { email, password }))

    const signedIn = answers.filter(({ status }) => status === 200)
    const refused = answers.filter(({ status }) => status !== 200)
    expect(signedIn).toHaveLength(1)
    expect(signedIn[0]?.body.access_token).toBeTypeOf('string')
    expect(statuses(refused)).toEqual([422])
    expect(errorCodes(refused)).toEqual(['user_already_exists'])
    expect(await count('users', 'email = $1', email)).toBe(1)
    expect(await count('identities', `identity_data ->> 'email' = $1`, email)).toBe(1)
  })

  it('are created once by 50 parallel sign-ups that wait for confirmation', async () => {
    const email = 'unconfirmed@example.test'

    const answers = await atOnce(numbers(50), () => confirming.post('/signup', { email, password }))

    expect(statuses(answers)).toEqual([200])
    expect(answers.filter(({ body }) => 'access_token' in body)).toEqual([])
    expect(await count('users', 'email = $1', email)).toBe(1)
    // Indistinguishable clients compete: each sent link stays valid.
    expect(await count('one_time_tokens', 'sent_to = $1', email)).toBeGreaterThanOrEqual(1)
  })

  it('are created once by 20 parallel requests of operators', async () => {
    const email = 'operated@example.test'
    const token = serviceToken()

    const answers = await atOnce(numbers(20), () =>
      pair.ask('POST', '/admin/users', { token, body: { email } }),
    )

    const refused = answers.filter(({ status }) => status !== 200)
    expect(refused).toHaveLength(19)
    expect(errorCodes(refused)).toEqual(['email_exists'])
    expect(await count('users', 'email = $1', email)).toBe(1)
  })

  it('lose none of 20 parallel changes of their metadata', async () => {
    const { access: token } = await signedUp('metadata')

    const answers = await atOnce(numbers(20), (number) =>
      pair.ask('PUT', '/user', { token, body: { data: { [`key${number}`]: number } } }),
    )

    const { body: user } = await pair.ask('GET', '/user', { token })
    const all = Object.fromEntries(numbers(20).map((number) => [`key${number}`, number]))
    expect(statuses(answers)).toEqual([200])
    expect(user.user_metadata).toMatchObject(all)
  })

  it('have one of several concurrently set passwords, the one whose request succeeded', async () => {
    const { access: token } = await signedUp('passwords')
    const passwords = numbers(8).map((number) => `another horse ${number}`)

    const answers = await atOnce(passwords, (wanted) =>
      pair.ask('PUT', '/user', { token, body: { password: wanted } }),
    )

    const email = 'passwords@example.test'
    const signIns = await atOnce(passwords, (wanted) =>
      pair.post('/token?grant_type=password', { email, password: wanted }),
    )
    const standing = signIns.flatMap(({ status }, index) => (status === 200 ? index : []))
    expect(standing).toHaveLength(1)
    expect(answers[standing[0] ?? 0]?.status).toBe(200)
    expect(statuses(answers).filter((status) => status >= 500)).toEqual([])
  })
})

it('processes that start at once on an empty database create one signing key together', async () => {
  const empty = await createEmptyDatabase()
  const managed = { AUTH_JWT_SECRET: '', AUTH_ENCRYPTION_KEY: testSecret }
  const started = await atOnce(numbers(3), () => startServer(empty.url, managed))
  const [first = '', ...others] = started.map(({ url }) => url)

  const body = { email: 'key@example.test', password }
  const { body: session } = await ask(first, 'POST', '/signup', { body })
  const answers = await atOnce(others, (url) =>
    ask(url, 'GET', '/user', { token: session.access_token }),
  )

  expect(statuses(answers)).toEqual([200])
  expect(await runSql(empty.url, 'select algorithm from auth.signing_keys')).toHaveLength(1)
  await atOnce(started, (server) => server.stop())
  await empty.drop()
})
