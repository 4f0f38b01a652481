import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type RangeServer, sha1, startRangeServer } from '../../../test/support/range-server.ts'
import { createTestClock, type TestClock } from '../../../test/support/test-clock.ts'
import { answering, type ServerAnswer } from '../../../test/support/web-server.ts'
import type { CacheStorage } from '../../platform/config/sections/values.ts'
import { type Logger, silentLogger } from '../../platform/observability/logger.ts'
import { breachedPasswords } from './breached-passwords.ts'

const day = 24 * 60 * 60

let server: RangeServer
let clock: TestClock
let warnings: string[]
/** The log output. */
let written: string
beforeEach(async () => {
  server = await startRangeServer({ 'correct horse': 7, 'padded horse': 0 })
  clock = createTestClock()
  warnings = []
  written = ''
})
afterEach(() => server.close())

const open = (storage: CacheStorage | null = null) => {
  const warn: Logger['warn'] = (fields, message) => {
    warnings.push(message)
    written += JSON.stringify(fields)
  }
  const logger: Logger = { ...silentLogger, warn }
  return breachedPasswords({ fetch: server.fetch, clock, logger, storage, userAgent: 'Acme' })
}

function createStorage() {
  const items = new Map<string, string>()
  const storage: CacheStorage = {
    getItem: async (key) => items.get(key),
    setItem: async (key, value) => void items.set(key, JSON.stringify(value)),
    removeItem: async (key) => void items.delete(key),
  }
  return { ...storage, items }
}

describe('a password', () => {
  it('is breached where its hash is in the range with a count above 0', async () => {
    const isBreached = open()

    expect(await isBreached('correct horse')).toBe(true)
    expect(await isBreached('padded horse')).toBe(false)
    expect(await isBreached('unknown horse')).toBe(false)
  })

  it('reveals 20 bits of its hash to the service, which pads its response', async () => {
    await open()('correct horse')

    expect(server.heard).toMatchObject([
      {
        method: 'GET',
        path: `/range/${sha1('correct horse').slice(0, 5)}`,
        headers: { 'add-padding': 'true', 'user-agent': 'Acme' },
        text: '',
      },
    ])
    expect(JSON.stringify(server.heard)).not.toContain(sha1('correct horse').slice(0, 6))
  })

  it('is looked up once by concurrent checks, and once a day', async () => {
    const isBreached = open()
    await Promise.all([isBreached('correct horse'), isBreached('correct horse')])
    await isBreached('correct horse')
    expect(server.heard).toHaveLength(1)

    clock.advance(day)
    await isBreached('correct horse')
    expect(server.heard).toHaveLength(2)
  })
})

describe('the storage', () => {
  it('shares ranges with other processes, and contains no password', async () => {
    const storage = createStorage()
    await open(storage)('correct horse')

    expect(await open(storage)('correct horse')).toBe(true)
    expect(server.heard).toHaveLength(1)
    const [[key = '', value = ''] = []] = [...storage.items]
    expect(key).toBe(`latchkey:known-passwords:${sha1('correct horse').slice(0, 5)}`)
    expect(value).not.toContain(sha1('correct horse').slice(5))
    expect(value.length).toBeLessThan(20_000)
  })

  it.each<[string, unknown]>([
    ['nonsense', 'nonsense'],
    ['another range', { ends: 'no', fetchedAt: 0 }],
    ['half a range', { ends: 'ABC', fetchedAt: 0 }],
    ['a range of next year', { ends: '', fetchedAt: Number.MAX_SAFE_INTEGER }],
    ['a list', []],
  ])('is not believed when it holds %s', async (_, held) => {
    const storage = createStorage()
    const isBreached = open({ ...storage, getItem: async () => held })
    expect(await isBreached('correct horse')).toBe(true)
  })

  it('is not needed when it fails or is slow', async () => {
    const failing = async () => {
      throw new Error('no storage')
    }
    const slow = () => new Promise<never>(() => {})
    expect(await open({ ...createStorage(), getItem: failing, setItem: failing })('x')).toBe(false)
    expect(await open({ ...createStorage(), getItem: slow, setItem: slow })('correct horse')).toBe(
      true,
    )
    expect(warnings).toHaveLength(4)
    expect(written).toContain('"message":"no storage"')
  })
})

const endless: ServerAnswer = (response) => {
  const line = `${'A'.repeat(35)}:1\r\n`.repeat(1000)
  const flood = () => {
    while (!response.destroyed && response.write(line));
    if (!response.destroyed) response.once('drain', flood)
  }
  response.writeHead(200)
  flood()
}

const failures: [string, ServerAnswer][] = [
  ['is slow', () => {}],
  ['is gone', (response) => void response.socket?.resetAndDestroy()],
  ['has trouble', answering(503)],
  ['asks for less', answering(429, { 'retry-after': '2' })],
  ['has moved', answering(301, { location: 'https://elsewhere.example' })],
  ['answers HTML', answering(200, {}, '<!doctype html><title>Hello</title>')],
  ['answers nothing', answering(200)],
  ['answers without end', endless],
  ['answers a line that is none', answering(200, {}, `${'A'.repeat(35)}:1\r\nnone`)],
  ['answers hashes of another length', answering(200, {}, `${'A'.repeat(34)}:1`)],
]

describe('a service', () => {
  it.each(failures)('that %s gives no result', async (_, answer) => {
    server.behave(answer)
    await expect(open()('correct horse')).rejects.toThrow()
    expect(warnings).toEqual(['breach check of passwords failed'])
  })

  it('that fails is not requested for a while, and then again', async () => {
    const isBreached = open()
    server.behave(answering(503))
    await expect(isBreached('one')).rejects.toThrow()
    await expect(isBreached('correct horse')).rejects.toThrow()
    expect([server.heard.length, warnings.length]).toEqual([1, 1])
    expect(written).toContain('returned 503')

    server.behave()
    clock.advance(5)
    expect(await isBreached('correct horse')).toBe(true)
  })

  it('that fails is requested again where the clock was set back', async () => {
    const isBreached = open()
    server.behave(answering(503))
    await expect(isBreached('one')).rejects.toThrow()

    server.behave()
    clock.advance(-3600)
    expect(await isBreached('correct horse')).toBe(true)
  })

  it('that fails is replaced by an old range while there is one', async () => {
    const isBreached = open()
    await isBreached('correct horse')
    server.behave(answering(503))

    clock.advance(2 * day)
    expect(await isBreached('correct horse')).toBe(true)
    clock.advance(29 * day)
    await expect(isBreached('correct horse')).rejects.toThrow()
  })
})
