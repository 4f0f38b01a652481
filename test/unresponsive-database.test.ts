import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { issueServiceToken } from '../src/credentials/access-tokens/issue-access-token.ts'
import type { Auth } from '../src/index.ts'
import { createService } from '../src/service/create-auth.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'
import { testSecret } from './support/test-auth.ts'
import { startWireProxy, type WireProxy } from './support/wire-proxy.ts'

const credentials = { email: 'silent@example.test', password: 'correct horse' }

let database: TestDatabase
let proxy: WireProxy
let auth: Auth
let accessToken: string
let serviceToken: string
let userId: string

/** Disables background work, which would use the connection that is to become silent. */
async function createTestedAuth(): Promise<Auth> {
  const service = createService({
    siteUrl: 'https://app.example.test',
    database: proxy.url,
    jwt: { secret: testSecret },
    email: { autoconfirm: true },
    // The test is about the connection; the deadline of requests would precede it.
    server: { requestTimeoutSeconds: 0 },
  })
  const { deps } = await service.runtime()
  await deps.outbox.close()
  await deps.decisions.close()
  const terms = { role: 'service_role', lifetimeSeconds: 600, now: deps.clock.now() }
  serviceToken = await issueServiceToken(deps.keys, terms)
  return service.auth
}

const put = (path: string, token: string, body: object) =>
  auth.fetch(
    new Request(`http://auth.test${path}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    }),
  )

/** A change in single statements, and one in a transaction. */
const putUser = () => put('/user', accessToken, { data: { n: 1 } })
const putUserByOperator = () =>
  put(`/admin/users/${userId}`, serviceToken, { user_metadata: { n: 1 } })

/** Returns the response, and the simulated seconds that it took. */
async function timed(pending: Promise<Response>): Promise<{ status: number; seconds: number }> {
  let answer: Response | undefined
  pending.then((given) => {
    answer = given
  })
  let milliseconds = 0
  for (; !answer && milliseconds < 120_000; milliseconds += 100) {
    // Pending network events precede the timers, on a busy machine as well.
    const until = performance.now() + 1
    do await nextTurn()
    while (performance.now() < until)
    vi.advanceTimersByTime(100)
  }
  return { status: answer?.status ?? 0, seconds: milliseconds / 1000 }
}

beforeAll(async () => {
  database = await createTestDatabase()
  proxy = await startWireProxy(database.url)
  // A connection is observed from its beginning.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  auth = await createTestedAuth()
  const { user, session } = await auth.api.signUp(credentials)
  userId = user.id
  accessToken = session?.accessToken ?? ''
})

afterEach(() => {
  proxy.allow()
})

afterAll(async () => {
  vi.useRealTimers()
  await auth?.close()
  await proxy?.close()
  await database?.drop()
})

describe('a database that no longer responds', () => {
  it('is abandoned after 15 seconds, and the next request opens another connection', async () => {
    proxy.freeze()

    const stuck = await timed(putUser())
    const next = await putUser()

    expect(stuck.status).toBe(503)
    expect(stuck.seconds).toBeGreaterThan(14)
    expect(stuck.seconds).toBeLessThan(16)
    expect(next.status).toBe(200)
  })

  it('is abandoned in the middle of a transaction, too, at the cost of one more request', async () => {
    proxy.reset()
    const changed = putUserByOperator()
    while (!proxy.statements().some(({ text }) => /^begin/i.test(text))) await nextTurn()
    proxy.freeze()

    const stuck = await timed(changed)
    const further = await timed(putUser())
    const next = await putUser()

    // The statement, and then the rollback, which times out in the same way.
    expect(stuck.status).toBe(503)
    expect(stuck.seconds).toBeLessThan(32)
    expect(further.seconds).toBeLessThan(16)
    expect(next.status).toBe(200)
  })

  it('is abandoned after 5 seconds where it accepts connections without a response', async () => {
    proxy.refuse()
    proxy.cut()
    await putUser()
    proxy.ignore()

    const { status, seconds } = await timed(putUser())

    expect(status).toBe(503)
    expect(seconds).toBeGreaterThan(4)
    expect(seconds).toBeLessThan(6)
  })
})
