import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask } from '../support/ask.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import type { ServerProcess } from '../support/server-process.ts'
import { peakMemoryMib, startSmallServer } from './small-server.ts'

let database: TestDatabase
let server: ServerProcess

beforeAll(async () => {
  database = await createTestDatabase()
  server = await startSmallServer(database.url, { heapMib: 256 })
})
afterAll(async () => {
  await server?.stop()
  await database?.drop()
})

interface Opened {
  socket: Socket
  taken: Promise<unknown>
  /** Seconds from the server's acceptance; undefined while it is open. */
  closedAfter?: number
  answer: string
}

/** Opens a number of connections. Each sends the same text and then a letter per second. */
async function open(count: number, text: string): Promise<Opened[]> {
  const port = Number(new URL(server.url).port)
  const all: Opened[] = []
  for (let index = 0; index < count; index += 1) {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    const taken = Promise.race([once(socket, 'connect'), once(socket, 'close')]).catch(() => {})
    const opened: Opened = { socket, taken, answer: '' }
    let since = performance.now()
    socket.on('connect', () => {
      since = performance.now()
    })
    const dripping = setInterval(() => socket.write('x'), 1_000)
    socket.on('error', () => {}).on('end', () => socket.end())
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      opened.answer += chunk
    })
    socket.on('close', () => {
      clearInterval(dripping)
      opened.closedAfter = (performance.now() - since) / 1000
    })
    socket.write(text)
    all.push(opened)
    // The system repeats a dropped connection attempt after seconds, which is no delay of the
    // server.
    if (index % 100 === 99) await Promise.all(all.slice(-100).map(({ taken }) => taken))
  }
  return all
}

const secondsOpen = (all: Opened[]) => Math.max(...all.map(({ closedAfter }) => closedAfter ?? 999))

/** Returns the times of honest requests, each on its own connection; fails where one is lost. */
async function honestTimes(count: number): Promise<number[]> {
  const file = new URL('./honest-client.ts', import.meta.url)
  const client = new Worker(file, { workerData: { url: server.url, count } })
  const [times] = (await once(client, 'message')) as [number[]]
  return times.sort((one, other) => one - other)
}

describe('H20', () => {
  it.each([
    ['connections that say nothing', '', 30],
    ['requests with half of their headers', 'POST /signup HTTP/1.1\r\nhost: a\r\nx: ', 30],
    [
      'requests whose body comes in drops',
      'POST /signup HTTP/1.1\r\nhost: a\r\ncontent-length: 100000\r\n\r\n{"email":"',
      45,
    ],
  ])('4,000 %s delay no other client, and are soon closed', async (name, text, mostSeconds) => {
    const flood = await open(4_000, text)

    const times = await honestTimes(20)
    while (secondsOpen(flood) === 999) await sleep(200)

    const peak = await peakMemoryMib(server)
    console.info(
      `${name}: open for ${secondsOpen(flood).toFixed(1)} s at most; an honest request took ` +
        `${times.at(10)?.toFixed(0)} ms, ${times.at(-1)?.toFixed(0)} ms at most; ${peak} MiB`,
    )
    // Without a limit they would stay open; a busy machine closes them some seconds late.
    expect(secondsOpen(flood)).toBeLessThan(mostSeconds)
    expect((await ask(server.url, 'GET', '/health')).status).toBe(200)
  })
})
