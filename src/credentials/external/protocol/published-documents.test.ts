import { createStorage } from 'unstorage'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestClock, type TestClock } from '../../../../test/support/test-clock.ts'
import { answerJson, startWebServer, type WebServer } from '../../../../test/support/web-server.ts'
import type { CacheStorage } from '../../../platform/config/sections/values.ts'
import { sha256Hex } from '../../../platform/kit/digest.ts'
import { safeFetch } from '../../../platform/kit/safe-fetch.ts'
import { silentLogger } from '../../../platform/observability/logger.ts'
import { documentReader, type PublishedDocument } from './published-documents.ts'

let server: WebServer
/** The published document; null for an error. */
let content: Record<string, unknown> | null
let clock: TestClock
let warnings: string[]
/** The log output. */
let written: string

beforeAll(async () => {
  server = await startWebServer((response) =>
    answerJson(response, content === null ? 500 : 200, content ?? {}),
  )
})
afterAll(() => server.close())
beforeEach(() => {
  server.heard.length = 0
  content = { issuer: 'us', version: 1 }
  clock = createTestClock()
  warnings = []
  written = ''
})

const readerWith = (storage: CacheStorage | null) =>
  documentReader({
    fetch: safeFetch,
    timeoutMs: 1000,
    clock,
    logger: {
      ...silentLogger,
      warn: (fields, message) => {
        warnings.push(message)
        written += JSON.stringify(fields)
      },
    },
    storage,
    cacheLifetimeMs: 3_600_000,
  })

const document = (path = '/document'): PublishedDocument => ({
  url: `${server.url}${path}`,
  trust: 'operator',
  isValid: (read) => read.text('issuer') === 'us',
})

const keyOf = ({ url }: PublishedDocument) => `latchkey:published:${sha256Hex(url)}`

describe('a storage', () => {
  it('of unstorage saves the request of other processes', async () => {
    const storage: CacheStorage = createStorage()
    await readerWith(storage)(document())

    const read = await readerWith(storage)(document())

    expect(read.number('version')).toBe(1)
    expect(server.heard).toHaveLength(1)
  })

  it('that returns texts is supported', async () => {
    const texts = new Map<string, string>()
    const storage: CacheStorage = {
      getItem: async (key) => texts.get(key) ?? null,
      setItem: async (key, value) => void texts.set(key, JSON.stringify(value)),
      removeItem: async (key) => void texts.delete(key),
    }
    await readerWith(storage)(document())

    await readerWith(storage)(document())

    expect(server.heard).toHaveLength(1)
  })

  it('does not extend the lifetime: a copy contains the time of its download', async () => {
    const storage: CacheStorage = createStorage()
    await readerWith(storage)(document())
    content = { issuer: 'us', version: 2 }
    clock.advance(3601)

    const read = await readerWith(storage)(document())

    expect(read.number('version')).toBe(2)
  })

  it.each<[string, (copy: Record<string, unknown>) => unknown]>([
    ['is a text that is no JSON', () => '{'],
    ['is a list', () => []],
    ['has no time', ({ fetchedAt: _, ...copy }) => copy],
    ['is from the future', (copy) => ({ ...copy, fetchedAt: Date.parse('2036-01-01') })],
    ['is of another document', (copy) => ({ ...copy, url: 'https://other.example' })],
    ['is not valid', (copy) => ({ ...copy, document: { issuer: 'them', version: 0 } })],
    ['holds no document', (copy) => ({ ...copy, document: 'us' })],
  ])('has no say with a copy that %s', async (_case, spoil) => {
    const storage: CacheStorage = createStorage()
    await readerWith(storage)(document())
    const copy = (await storage.getItem(keyOf(document()))) as Record<string, unknown>
    await storage.setItem(keyOf(document()), spoil(copy) as Record<string, unknown>)

    const read = await readerWith(storage)(document())

    expect(read.number('version')).toBe(1)
    expect(server.heard).toHaveLength(2)
  })

  it.each<[string, () => Promise<never>]>([
    ['fails', () => Promise.reject(new Error('no connection'))],
    [
      'throws',
      () => {
        throw new Error('no connection')
      },
    ],
    ['hangs', () => new Promise(() => {})],
  ])('that %s is done without, and said so', async (_case, fail) => {
    const reader = readerWith({ getItem: fail, setItem: fail, removeItem: fail })

    const read = await reader(document())
    await reader(document())

    expect(read.number('version')).toBe(1)
    expect(server.heard).toHaveLength(1)
    expect(warnings).toEqual([
      'the storage for published documents failed',
      'the storage for published documents failed',
    ])
    expect(written).toMatch(/"message":"(no connection|the storage timed out)"/)
  })

  it('of another process has newer copies, which are used before the server is requested', async () => {
    const storage: CacheStorage = createStorage()
    const [one, other] = [readerWith(storage), readerWith(storage)]
    await one(document())
    content = { issuer: 'us', version: 2 }
    clock.advance(120)
    await other(document(), 60_000)

    const read = await one(document(), 60_000)

    expect(read.number('version')).toBe(2)
    expect(server.heard).toHaveLength(2)
  })
})

describe('a server that fails', () => {
  it('is requested again after a minute, while there is an old copy', async () => {
    const reader = readerWith(null)
    await reader(document())
    content = null
    clock.advance(3700)

    const reads = [await reader(document()), await reader(document())]
    clock.advance(61)
    content = { issuer: 'us', version: 2 }

    expect(reads.map((read) => read.number('version'))).toEqual([1, 1])
    expect((await reader(document())).number('version')).toBe(2)
    expect(server.heard).toHaveLength(3)
    expect(warnings).toEqual(['published document not refreshed: the old copy is used'])
    expect(written).toContain('"fault":{"name":"Error"')
  })

  it('is not requested again for a moment, without a copy', async () => {
    const reader = readerWith(null)
    content = null

    await expect(reader(document())).rejects.toThrow('returned 500')
    await expect(reader(document())).rejects.toThrow('did not respond a moment ago')
    clock.advance(6)
    content = { issuer: 'us' }
    await reader(document())
    expect(server.heard).toHaveLength(2)
  })

  it('does not replace a copy with an invalid document', async () => {
    const reader = readerWith(null)
    await reader(document())
    content = { issuer: 'them', version: 2 }
    clock.advance(3700)

    expect((await reader(document())).number('version')).toBe(1)
  })
})

it('keeps the last 200 copies in memory', async () => {
  const reader = readerWith(null)
  const paths = Array.from({ length: 205 }, (_, index) => `/document-${index}`)
  for (const path of paths) await reader(document(path))

  await reader(document('/document-204'))
  expect(server.heard).toHaveLength(205)
  await reader(document('/document-0'))
  expect(server.heard).toHaveLength(206)
})

it('reads a document again where the clock was set back after a failure', async () => {
  const reader = readerWith(null)
  content = null
  await expect(reader(document())).rejects.toThrow()

  content = { issuer: 'us', version: 2 }
  clock.advance(-3600)

  expect((await reader(document())).number('version')).toBe(2)
})
