import { afterAll, beforeAll, expect, it } from 'vitest'
import { openClients } from '../../bench/sustained/clients.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { limitMemory } from '../support/memory-limit.ts'
import { type ServerProcess, startServer } from '../support/server-process.ts'

const container = limitMemory(256)
if (!container) {
  console.warn('NOT RUN: a container of 256 MiB, since this user may not create control groups')
}

let database: TestDatabase
let server: ServerProcess

beforeAll(async () => {
  if (!container) return
  database = await createTestDatabase()
  server = await startServer(database.url, { AUTH_RATE_LIMIT_HEADER: 'x-client' }, ['serve'], {
    wrap: container.wrap,
  })
})
afterAll(async () => {
  await server?.stop()
  container?.remove()
  await database?.drop()
})

it.skipIf(!container)('64 connections in a container of 256 MiB get no error', async () => {
  const clients = await openClients(server, 64)

  const { statuses } = await clients.mixed({ seconds: 10 })

  // The kernel ends a process that exceeds the limit.
  expect(Object.keys(statuses)).toEqual(['200'])
})
