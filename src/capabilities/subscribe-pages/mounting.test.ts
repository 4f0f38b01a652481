import express from 'express'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { ask } from '../../../test/support/ask.ts'
import {
  startCaptchaProvider,
  type TestCaptchaProvider,
} from '../../../test/support/captcha-provider.ts'
import { pagesBeside, startTestPages, type TestPages } from '../../../test/support/pages.ts'
import { serve } from '../../../test/support/serve.ts'
import { startTestAuth, testPassword } from '../../../test/support/test-auth.ts'
import { toExpress } from '../../hosts/adapters/express.ts'
import { toNode } from '../../hosts/adapters/node.ts'
import { createSubscribePages } from './subscribe-pages.ts'

let pages: TestPages

beforeAll(async () => {
  pages = await startTestPages({}, { origins: ['https://shop.example.test'] })
})
afterAll(() => pages.close())

describe('pages are mounted', () => {
  it('in an Express app below any path, beside the service, without configured base paths', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    const app = express().use(express.json()).use('/newsletter', toExpress(pages.pages))
    const served = await serve(app)
    const { email } = await pages.operator()

    const logIn = await ask(served.url, 'POST', '/newsletter/sessions', {
      body: { login_name: email, password: testPassword },
      headers: { 'content-type': 'application/json' },
    })
    const listed = await ask(served.url, 'GET', '/newsletter/api/v2/subscribe-pages', {
      headers: { 'php-auth-pw': logIn.body.key },
    })
    const nowhere = await ask(served.url, 'GET', '/newsletter/nowhere')

    expect([logIn.status, listed.status]).toEqual([201, 200])
    expect(nowhere.body).toEqual({ message: 'No route found for "GET /nowhere"' })
    expect(warn).not.toHaveBeenCalled()
    warn.mockRestore()
    await served.close()
  })

  it('in a server of node:http, and respond to HEAD without a body', async () => {
    const served = await serve(toNode(pages.pages))
    const { key } = await pages.admin()
    const { id } = await pages.page(key)

    const read = await fetch(`${served.url}/subscribe-pages/${id}`)
    const head = await fetch(`${served.url}/subscribe-pages/${id}`, { method: 'HEAD' })

    expect([read.status, head.status, await head.text()]).toEqual([200, 200, ''])
    expect(head.headers.get('content-type')).toBe(read.headers.get('content-type'))
    await served.close()
  })

  it('below the configured paths only', async () => {
    const own = createSubscribePages({ auth: pages.auth.auth, basePaths: ['/forms'] })
    const statusOf = async (path: string) =>
      (await own.fetch(new Request(`http://pages.test${path}`))).status

    expect(await statusOf('/forms/subscribe-pages')).toBe(403)
    expect(await statusOf('/subscribe-pages')).toBe(404)
  })

  it.each([
    [{ basePaths: ['forms'] }, 'basePaths[0]'],
    [{ basePaths: ['', '/a/'] }, 'basePaths[1]'],
    [{ cors: { origins: ['https://a.test/'] } }, 'cors.origins[0]'],
    [{ cors: { origins: ['*'] } }, 'cors.origins[0]'],
  ])('not with %j', (options, path) => {
    expect(() => createSubscribePages({ auth: pages.auth.auth, ...options })).toThrow(path)
  })

  it('beside a service only', () => {
    const foreign = { app: pages.auth.auth.app, ready: async () => {} }

    expect(() => createSubscribePages({ auth: foreign })).toThrow(TypeError)
  })
})

describe('scripts of other origins', () => {
  const preflight = (origin: string) =>
    pages.ask('OPTIONS', '/subscribe-pages/1', {
      headers: { origin, 'access-control-request-method': 'PUT' },
    })

  it('may send requests and read responses where their origin is configured', async () => {
    const origin = 'https://shop.example.test'
    const { status, headers } = await preflight(origin)
    const read = await pages.ask('GET', '/subscribe-pages/999', { headers: { origin } })

    expect(status).toBe(204)
    expect(headers.get('access-control-allow-origin')).toBe(origin)
    expect(headers.get('access-control-allow-headers')).toContain('php-auth-pw')
    expect(headers.get('access-control-allow-credentials')).toBeNull()
    expect(read.headers.get('access-control-allow-origin')).toBe(origin)
    expect(read.headers.get('vary')).toBe('origin')
  })

  it.each(['https://shop.example.test.evil.test', 'http://shop.example.test', 'null'])(
    'may not from %s',
    async (origin) => {
      const { status, headers } = await preflight(origin)
      const read = await pages.ask('GET', '/subscribe-pages/999', { headers: { origin } })

      expect([status, headers.get('access-control-allow-origin')]).toEqual([405, null])
      expect(read.headers.get('access-control-allow-origin')).toBeNull()
    },
  )
})

describe('the log-in uses the limits of the service', () => {
  it('and returns the time to wait: its count per client is that of /token', async () => {
    const limited = await startTestPages({ rateLimits: { tokenRefresh: 30 } })
    const ip = '203.0.113.7'
    const body = { login_name: 'nobody@example.test', password: 'x' }
    const statuses: number[] = []
    for (let at = 0; at < 31; at += 1) {
      statuses.push((await limited.ask('POST', '/sessions', { body, ip })).status)
    }
    const refused = await limited.ask('POST', '/sessions', { body, ip })
    const token = await limited.auth.post(
      '/token?grant_type=password',
      { email: 'a@b.test', password: 'x' },
      { ip },
    )

    expect(new Set(statuses)).toEqual(new Set([401, 429]))
    expect([refused.status, refused.body]).toEqual([429, { message: 'Request rate limit reached' }])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(token.status).toBe(429)
    await limited.close()
  })

  it('and counts per account, whatever client guesses', async () => {
    const { email } = await pages.operator()
    const tries = Array.from({ length: 60 }, () =>
      pages.ask('POST', '/sessions', { body: { login_name: email, password: 'wrong' } }),
    )

    const statuses = (await Promise.all(tries)).map(({ status }) => status)

    expect(new Set(statuses)).toEqual(new Set([401, 429]))
  })
})

describe('where captchas are required', () => {
  let provider: TestCaptchaProvider
  let guarded: TestPages

  beforeAll(async () => {
    provider = await startCaptchaProvider()
    const captcha = { secret: 's3cret' }
    guarded = pagesBeside(await startTestAuth({ security: { captcha } }, { fetch: provider.fetch }))
  })
  afterAll(async () => {
    await guarded.close()
    await provider.close()
  })

  it.each([
    ['none', {}, 401],
    ['a wrong one', { captcha_token: 'wrong' }, 401],
    ['a solved one', { captcha_token: 'solved' }, 201],
  ])('a log-in with %s returns %s', async (_, captcha, status) => {
    const { email } = await guarded.operator()

    const answer = await guarded.ask('POST', '/sessions', {
      body: { login_name: email, password: testPassword, ...captcha },
    })

    expect(answer.status).toBe(status)
    if (status === 401) expect(answer.body).toEqual({ message: 'Not authorized' })
  })
})

describe('a service that cannot start', () => {
  it('causes 503 in this form, and a ClosedError in code', async () => {
    const closed = await startTestPages()
    await closed.auth.auth.close()

    const { status, body, headers } = await closed.ask('GET', '/subscribe-pages')

    expect([status, body]).toEqual([503, { message: 'The service is not running' }])
    expect(headers.get('retry-after')).toBe('1')
    await expect(closed.pages.lists.list()).rejects.toMatchObject({ name: 'ClosedError' })
    await closed.close()
  })
})

it('with one session per user, a newer session ends the key', async () => {
  const single = await startTestPages({ sessions: { singlePerUser: true } })
  const { key, user } = await single.admin()
  const list = async () => (await single.ask('GET', '/subscribe-pages', { key })).status
  expect(await list()).toBe(200)

  single.auth.clock.advance(1)
  await single.auth.post('/token?grant_type=password', {
    email: user.email,
    password: testPassword,
  })

  expect(await list()).toBe(403)
  await single.close()
})
