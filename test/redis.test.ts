import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { createClient } from 'redis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { redisLimitStore } from '../src/limits/redis-limit-store.ts'
import { freePort } from './support/server-process.ts'

/** A host's client, the library's use of it, and how the host closes it. */
interface OpenClient {
  client: unknown
  close(): void
}

const limit = { burst: 5, refillPerSecond: 5 }
const counted = (key: string) => [{ key, limit }]

const isInstalled = spawnSync('redis-server', ['--version']).status === 0
if (!isInstalled)
  process.stderr.write('NOT RUN: test/redis.test.ts needs redis-server on the PATH\n')

let server: ChildProcess
let url: string
let opened: OpenClient[] = []

const openers: Record<string, () => Promise<OpenClient>> = {
  ioredis: async () => {
    const client = new Redis(url, { maxRetriesPerRequest: 0 })
    client.on('error', () => {})
    return { client, close: () => client.disconnect() }
  },
  redis: async () => {
    const client = createClient({ url, disableOfflineQueue: true })
    client.on('error', () => {})
    await client.connect()
    return { client, close: () => client.destroy() }
  },
}

async function openStore(name: string) {
  const open = openers[name]
  if (!open) throw new TypeError(`no such client: ${name}`)
  const one = await open()
  opened.push(one)
  return redisLimitStore(one.client)
}

async function startRedis(): Promise<void> {
  const port = await freePort()
  const flags = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
  server = spawn('redis-server', flags, { stdio: ['ignore', 'pipe', 'inherit'] })
  url = `redis://127.0.0.1:${port}`
  for await (const chunk of server.stdout ?? [])
    if (String(chunk).includes('Ready to accept connections')) return
}

describe.skipIf(!isInstalled).each(Object.keys(openers))('limits in Redis, through %s', (name) => {
  beforeAll(startRedis)
  afterAll(() => {
    for (const { close } of opened) close()
    opened = []
    server.kill('SIGKILL')
  })

  it('allows the burst, of 50 at once over two instances, and not one more', async () => {
    const stores = [await openStore(name), await openStore(name)]

    const takes = Array.from({ length: 50 }, (_, index) =>
      stores[index % 2]?.take(counted('burst')),
    )

    const taken = await Promise.all(takes)
    expect(taken.filter((one) => one?.allowed)).toHaveLength(5)
    expect(taken.find((one) => !one?.allowed)).toEqual({ allowed: false, retryAfterSeconds: 1 })
  })

  it('counts keys separately, and allows requests again after the returned time', async () => {
    const store = await openStore(name)
    for (let index = 0; index < 5; index += 1) await store.take(counted('one'))

    expect(await store.take(counted('one'))).toMatchObject({ allowed: false })
    expect(await store.take(counted('other'))).toEqual({ allowed: true })
    await sleep(1100)
    expect(await store.take(counted('one'))).toEqual({ allowed: true })
  })

  it('S16: counts the networks of a client in one call, and a rejected request for none of them', async () => {
    const store = await openStore(name)
    const wider = { burst: 8, refillPerSecond: 1 }
    const take = (network: string) =>
      store.take([
        { key: 'wider', limit: wider },
        { key: network, limit },
      ])
    const taken: boolean[] = []
    for (let index = 0; index < 8; index += 1) taken.push((await take('first')).allowed)
    for (let index = 0; index < 4; index += 1) taken.push((await take('second')).allowed)

    expect(taken.filter(Boolean)).toHaveLength(8)
    expect(taken.slice(8)).toEqual([true, true, true, false])
  })

  it('H25: stores no key longer than a digest', async () => {
    const store = await openStore(name)
    await store.take(counted('k'.repeat(8192)))
    const reader = new Redis(url)

    const keys = await reader.keys('*')
    reader.disconnect()

    expect(Math.max(...keys.map((key) => key.length))).toBeLessThan(100)
  })

  it('returns 503 while Redis is down', async () => {
    const store = await openStore(name)
    await store.take(counted('gone'))
    server.kill('SIGKILL')
    await once(server, 'exit')

    await expect(store.take(counted('gone'))).rejects.toMatchObject({ status: 503 })
  })
})
