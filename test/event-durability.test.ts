import { afterAll, beforeAll, expect, it } from 'vitest'
import { ask } from './support/ask.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'
import { type ServerProcess, startServer } from './support/server-process.ts'
import { runSql } from './support/sql.ts'
import { answerJson, startWebServer, type WebServer } from './support/web-server.ts'

// `latchkey serve` is killed while it delivers events.

let database: TestDatabase
let listener: WebServer
let server: ServerProcess
/** The action on the server whose event was received. */
let arrived: () => void = () => {}
let isHeld = false

beforeAll(async () => {
  database = await createTestDatabase()
  listener = await startWebServer((response) => {
    arrived()
    if (!isHeld) answerJson(response, 200, {})
  })
  server = await start()
})
afterAll(async () => {
  await server?.stop()
  await listener?.close()
  await database?.drop()
})

const start = () =>
  startServer(database.url, {
    AUTH_MAILER_AUTOCONFIRM: 'true',
    AUTH_HOOK_EVENTS_ENABLED: 'true',
    AUTH_HOOK_EVENTS_URI: listener.url,
  })

const signUp = (email: string) =>
  ask(server.url, 'POST', '/signup', { body: { email, password: 'correct horse' } })

/** Advances the leases of a dead process by a minute. */
const endLeases = () =>
  runSql(
    database.url,
    `update auth.outbox_messages set next_attempt_at = now() where status = 'sending'`,
  )

const receivedEvents = (email: string) => async () => {
  const [user] = await runSql(database.url, {
    text: 'select id from auth.users where email = $1',
    values: [email],
  })
  const events = listener.heard.map(({ text }) => JSON.parse(text))
  return events.filter(({ user_id }) => user_id === user?.['id'])
}

it('delivers again interrupted events, in order, under the same ids', async () => {
  isHeld = true
  arrived = () => server.signal('SIGKILL')
  await signUp('ada@example.test').catch(() => {})
  const { signal } = await server.ended
  arrived = () => {}
  isHeld = false
  const before = await receivedEvents('ada@example.test')()
  await endLeases()
  server = await start()

  await expect
    .poll(async () => (await receivedEvents('ada@example.test')()).length, { timeout: 25_000 })
    .toBe(3)
  const events = await receivedEvents('ada@example.test')()
  expect(signal).toBe('SIGKILL')
  expect(before).toHaveLength(1)
  expect(events.map(({ type }) => type)).toEqual(['user.created', 'user.created', 'session.opened'])
  expect(events[1]).toEqual(events[0])
}, 180_000)

it('delivers events that a server stored before it was killed', async () => {
  let isDead = false
  const people = Array.from({ length: 5 }, (_, index) => `bob${index}@example.test`)
  // The first event kills the server. The events of the other users were stored, or the users were
  // not.
  arrived = () => {
    if (!isDead) server.signal('SIGKILL')
    isDead = true
  }
  await Promise.all(people.map((email) => signUp(email).catch(() => {})))
  await server.ended
  arrived = () => {}
  await endLeases()
  server = await start()
  await expect
    .poll(
      () =>
        runSql(
          database.url,
          `select count(*)::int as left from auth.outbox_messages where settled_at is null`,
        ),
      { timeout: 25_000 },
    )
    .toEqual([{ left: 0 }])

  const stored = await runSql(database.url, `select email from auth.users where email like 'bob%'`)
  expect(stored.length).toBeGreaterThan(0)
  for (const { email } of stored) {
    const types = (await receivedEvents(String(email))()).map(({ type }) => type)
    expect([...new Set(types)]).toEqual(['user.created', 'session.opened'])
  }
}, 180_000)
