import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { ask } from '../support/ask.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import type { ServerProcess } from '../support/server-process.ts'
import { peakMemoryMib, startSmallServer } from './small-server.ts'

const clients = 60
const requestsPerConnection = 20_000
const maxHeldMs = 100

let database: TestDatabase
let server: ServerProcess

beforeAll(async () => {
  database = await createTestDatabase()
  const watch = fileURLToPath(new URL('./loop-watch.mjs', import.meta.url))
  server = await startSmallServer(database.url, { heapMib: 256, nodeOptions: `--import ${watch}` })
})
afterAll(async () => {
  await server?.stop()
  await database?.drop()
})

const workers: Worker[] = []
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.terminate()))
})

function startWorker(file: string, workerData: Record<string, unknown>): Worker {
  const url = new URL(file, import.meta.url)
  const worker = new Worker(url, { workerData: { url: server.url, ...workerData } })
  workers.push(worker)
  return worker
}

const name = `S32: ${clients} clients that reconnect with ${requestsPerConnection} pipelined requests each do not delay others`
it(name, { timeout: 120_000 }, async () => {
  await ask(server.url, 'GET', '/settings')
  const flood = startWorker('./pipelining-client.ts', {
    count: clients,
    requests: requestsPerConnection,
  })
  let opened = 0
  flood.on('message', (count: number) => {
    opened = count
  })
  await once(flood, 'message')
  const logged = server.log().length

  const honest = startWorker('./honest-client.ts', { count: 40 })
  const [times] = (await once(honest, 'message')) as [number[]]
  const heldMs = server
    .log()
    .slice(logged)
    .reduce((longest, line) => Math.max(longest, Number(line['heldMs'] ?? 0)), 0)

  const sorted = times.toSorted((one, other) => one - other)
  const peak = await peakMemoryMib(server)
  console.info(
    `${opened} connections; an honest request took ${sorted.at(20)?.toFixed(0)} ms, ` +
      `${sorted.at(-1)?.toFixed(0)} ms at most; loop held for ${heldMs} ms at most; ${peak} MiB`,
  )
  expect(opened).toBeGreaterThan(2 * clients)
  // In processor time, which does not depend on other processes.
  expect(heldMs).toBeLessThanOrEqual(maxHeldMs)
  expect((await ask(server.url, 'GET', '/health')).status).toBe(200)
})
