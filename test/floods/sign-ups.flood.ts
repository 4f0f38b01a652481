import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import type { ServerProcess } from '../support/server-process.ts'
import { peakMemoryMib, startSmallServer } from './small-server.ts'

let database: TestDatabase
let server: ServerProcess

beforeAll(async () => {
  database = await createTestDatabase()
  server = await startSmallServer(database.url, { heapMib: 128 })
})
afterAll(async () => {
  await server?.stop()
  await database?.drop()
})

const signUp = async (n: number, data: object) => {
  const answer = await fetch(`${server.url}/signup`, {
    method: 'POST',
    body: JSON.stringify({ email: `ada${n}@example.test`, password: 'correct horse', data }),
  })
  await answer.arrayBuffer()
  return answer.status
}

it('H17: fifty concurrent sign-ups of a megabyte do not end the process, which keeps responding', async () => {
  const large = { a: 'x'.repeat(1_000_000) }

  const startedAt = performance.now()
  const statuses = await Promise.all(Array.from({ length: 50 }, (_, n) => signUp(n, large)))
  const ms = Math.round(performance.now() - startedAt)
  const peakMib = await peakMemoryMib(server)

  console.info({ ms, peakMib, statuses: [...new Set(statuses)] })
  expect(new Set(statuses)).toEqual(new Set([413]))
  expect(await signUp(50, {})).toBe(200)
  expect(peakMib ?? 0).toBeLessThan(256)
})
