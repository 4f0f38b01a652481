import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import type { ServerProcess } from '../support/server-process.ts'
import { runSql } from '../support/sql.ts'
import { serviceToken } from './service-token.ts'
import { peakMemoryMib, startSmallServer } from './small-server.ts'

let database: TestDatabase
let server: ServerProcess

beforeAll(async () => {
  database = await createTestDatabase()
  // 20,000 users, and 20,000 audit entries about a user with a name of the maximum length.
  await runSql(
    database.url,
    `insert into auth.users (id, audience, role, email, app_metadata, user_metadata,
       email_change_confirm_status, is_anonymous, is_sso_user, created_at, updated_at)
     select gen_random_uuid(), 'authenticated', 'authenticated', 'user' || n || '@example.test',
       '{"provider":"email","providers":["email"]}', jsonb_build_object('full_name', repeat('x', 3000)),
       0, false, false, now() - n * interval '1 second', now()
     from generate_series(1, 20000) n;
     insert into auth.audit_entries (id, action, actor_id, user_id, created_at)
     select gen_random_uuid(), 1, u.id, u.id, now() from auth.users u`,
  )
})
beforeEach(async () => {
  server = await startSmallServer(database.url, {
    heapMib: 128,
    // Eight lists take longer than the default on a busy machine.
    env: { AUTH_API_MAX_REQUEST_DURATION: '60s' },
  })
})
afterEach(async () => {
  await server?.stop()
})
afterAll(() => database?.drop())

const ask = async (path: string) => {
  const headers = { authorization: `Bearer ${serviceToken()}` }
  const answer = await fetch(`${server.url}${path}`, { headers })
  return { status: answer.status, bytes: (await answer.arrayBuffer()).byteLength }
}

/** Returns the longest response time of another request meanwhile. */
async function slowestHealth(until: Promise<unknown>): Promise<number> {
  let slowest = 0
  let isOver = false
  void until.finally(() => {
    isOver = true
  })
  while (!isOver) {
    const startedAt = performance.now()
    await ask('/health')
    slowest = Math.max(slowest, performance.now() - startedAt)
  }
  return Math.round(slowest)
}

describe.each([
  ['/admin/users', 10_000],
  ['/admin/users', 1_000],
  ['/admin/audit', 10_000],
  ['/admin/audit', 500],
])('H17: eight lists at once of %s, %d a page', (path, perPage) => {
  it('do not end the process, which keeps responding', async () => {
    const lists = Promise.all(
      Array.from({ length: 8 }, (_, page) => ask(`${path}?per_page=${perPage}&page=${page + 1}`)),
    )
    const slowestMs = await slowestHealth(lists)
    const answers = await lists
    const peakMib = await peakMemoryMib(server)

    console.info({ path, perPage, answers: answers.slice(0, 2), slowestMs, peakMib })
    for (const { status } of answers) expect([200, 400]).toContain(status)
    expect(await ask('/health')).toMatchObject({ status: 200 })
    expect(peakMib ?? 0).toBeLessThan(256)
  })
})
