import { readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startDnsServer } from '../../../test/support/dns-server.ts'
import { waitFor } from '../../../test/support/wait-for.ts'
import {
  type ServerAnswer,
  startWebServer,
  type WebServer,
} from '../../../test/support/web-server.ts'
import { createOutgoingQueue } from './outgoing-queue.ts'
import { type OutsideFetchOptions, openOutsideFetch } from './outside-fetch.ts'
import { type FetchOptions, safeFetch } from './safe-fetch.ts'
import { isFetchFailure, requireStorableUrl } from './url-trust.ts'

const queue = (width = 2) =>
  createOutgoingQueue({
    width,
    maxWaiting: 1,
    maxWaitMs: 60_000,
    pathOf: () => ['', ''] as never,
    full: () => new Error('full'),
  })
const fetchOutside = openOutsideFetch(safeFetch, queue())

let answer: ServerAnswer
let server: WebServer
beforeAll(async () => {
  server = await startWebServer((response, heard) => answer(response, heard))
})
afterAll(() => server.close())

/** An option for a server on loopback, which the operator permitted. */
const permitted = { isPermittedHost: true } as const

async function reasonOf(url: string, options: OutsideFetchOptions = {}): Promise<string> {
  try {
    await fetchOutside(url, options)
  } catch (error) {
    if (isFetchFailure(error)) return error.reason
    throw error
  }
  return 'fetched'
}

describe('T43: a URL that a request or a document supplied', () => {
  it.each([
    'http://93.184.216.34/',
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://10.0.0.1/',
    'https://100.64.0.1/',
    'https://169.254.169.254/latest/meta-data/',
    'https://[::1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://[fd00::1]/',
    'https://localhost/',
  ])('is rejected whatever trust the caller states: %s', async (url) => {
    expect(await reasonOf(url, { trust: 'operator' })).toBe('refused-url')
  })

  it.each([
    ['a private address', [['10.0.0.1']]],
    ['a public and a private address', [['93.184.216.34', '127.0.0.1']]],
    ['no address', [[]]],
  ])('is rejected if DNS answers with %s', async (_, answers) => {
    const dns = await startDnsServer(...answers)
    const reason = await reasonOf('https://client.example/', { resolve: dns.resolve })
    dns.close()

    expect([reason === 'fetched', dns.questions()]).toEqual([false, 1])
  })

  it('is requested at the first answer of DNS, which the second would bind to another host', async () => {
    answer = (response) => response.end('the permitted host')
    const dns = await startDnsServer(['127.0.0.1'], ['127.0.0.2'])
    const { text } = await fetchOutside(`http://client.example:${server.port}/`, {
      ...permitted,
      resolve: dns.resolve,
    })
    dns.close()

    expect([text, dns.questions()]).toEqual(['the permitted host', 1])
  })

  it('reaches no private host by DNS that answered with a public one at the registration', async () => {
    const dns = await startDnsServer(['93.184.216.34'], ['127.0.0.1'])
    const url = `https://client.example:${server.port}/`
    const before = server.heard.length
    await requireStorableUrl(url, 'outside', dns.resolve)
    const reason = await reasonOf(url, { resolve: dns.resolve })
    dns.close()

    expect([reason, server.heard.length - before, dns.questions()]).toEqual(['refused-url', 0, 2])
  })
})

describe('T43: a response', () => {
  it('redirects nowhere', async () => {
    answer = (response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()
    expect((await fetchOutside(server.url, permitted)).status).toBe(302)
  })

  it('is not decompressed, so that a small body is no large one', async () => {
    const bomb = gzipSync(Buffer.alloc(8 * 1024 * 1024))
    answer = (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb)
    const { bytes } = await fetchOutside(server.url, {
      ...permitted,
      headers: { 'accept-encoding': 'gzip' },
    })

    expect(bytes).toEqual(bomb)
    expect(server.heard.at(-1)?.headers['accept-encoding']).toBe('identity')
  })

  it('ends at 1 MiB, whatever limit the caller states', async () => {
    let isOpen = true
    answer = (response) => {
      response.on('close', () => {
        isOpen = false
      })
      const more = () => response.write('x'.repeat(65_536)) && setImmediate(more)
      response.on('drain', more)
      more()
    }
    expect(await reasonOf(server.url, { ...permitted, maxBytes: 1e9 })).toBe('too-large')
    await waitFor(() => expect(isOpen).toBe(false))
  })

  it('ends at the time limit, if it never begins or is sent byte by byte', async () => {
    answer = () => {}
    expect(await reasonOf(server.url, { ...permitted, timeoutMs: 80 })).toBe('timed-out')
    answer = (response) => {
      const drip = setInterval(() => response.write('.'), 10)
      response.on('close', () => clearInterval(drip))
    }
    expect(await reasonOf(server.url, { ...permitted, timeoutMs: 80 })).toBe('timed-out')
  })
})

describe('the bounds of a caller', () => {
  const given = async (options: OutsideFetchOptions): Promise<FetchOptions> => {
    let received: FetchOptions | undefined
    const record = openOutsideFetch(async (_url, passed) => {
      received = passed
      return { status: 200, headers: {}, bytes: Buffer.alloc(0), text: '' }
    }, queue())
    await record('https://client.example/', options)
    if (!received) throw new Error('nothing was requested')
    return received
  }

  it('are lowered only', async () => {
    const most = { trust: 'outside', timeoutMs: 5_000, maxBytes: 1024 * 1024 }

    expect(await given({})).toEqual(most)
    expect(await given({ timeoutMs: 60_000, maxBytes: 1e9 })).toEqual(most)
    expect(await given({ timeoutMs: 10, maxBytes: 20 })).toMatchObject({
      timeoutMs: 10,
      maxBytes: 20,
    })
  })

  it('include the number of concurrent requests', async () => {
    const release: (() => void)[] = []
    const slow = openOutsideFetch(async () => {
      await new Promise<void>((resolve) => release.push(resolve))
      return { status: 200, headers: {}, bytes: Buffer.alloc(0), text: '' }
    }, queue(2))
    const requests = [1, 2, 3].map(() => slow('https://client.example/', {}))
    const fourth = slow('https://client.example/', {})

    await expect(Promise.race([fourth, requests[2]])).rejects.toThrow('full')
    expect(release).toHaveLength(2)
    for (const open of release.splice(0)) open()
    await waitFor(() => expect(release).toHaveLength(1))
    release[0]?.()
    const ended = await Promise.allSettled([...requests, fourth])
    expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
  })
})

it('is the only way in which capabilities send requests', () => {
  const folder = new URL('../../capabilities/', import.meta.url)
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !name.endsWith('.test.ts'),
  )
  const others = files.filter((name) =>
    /kit\/safe-fetch\.ts|node:https?'|\bglobalThis\.fetch\b/.test(
      readFileSync(new URL(name, folder), 'utf8'),
    ),
  )

  expect(files.length).toBeGreaterThan(100)
  expect(others).toEqual([])
})
