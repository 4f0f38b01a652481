import { H3 } from 'h3'
import { describe, expect, it } from 'vitest'
import { answeringApp } from '../../../test/support/answering-app.ts'
import { Answer } from '../../platform/http/answer.ts'
import { requireLocalAccess } from './local-access.ts'

const token = 'a0b1c2d3e4f5'
const cookie = `latchkey_development_8081=${token}`

const endpoints = new H3()
endpoints.get(
  '/auth/_latchkey/**',
  (event) => requireLocalAccess(event, token) ?? new Answer(200, {}, 'let in'),
)
const app = answeringApp(endpoints)

interface Asker {
  ip?: string | null
  host?: string | null
  headers?: Record<string, string>
  path?: string
}

async function ask({
  ip = '127.0.0.1',
  host = '127.0.0.1:8081',
  headers,
  path = 'mail',
}: Asker = {}) {
  const request = new Request(`http://127.0.0.1:8081/auth/_latchkey/${path}`, {
    headers: { cookie, ...(host !== null && { host }), ...headers },
  })
  return app.fetch(Object.assign(request, ip !== null && { ip }))
}

const status = async (asker: Asker) => (await ask(asker)).status

describe('a client on this machine', () => {
  it.each(['127.0.0.1', '::1', '::ffff:127.0.0.1', '127.1.2.3'])(
    'is accepted from %s',
    async (ip) => {
      expect(await (await ask({ ip })).text()).toBe('let in')
    },
  )

  it.each([
    ['localhost:8081', 8081],
    ['LOCALHOST:8081', 8081],
    ['127.0.0.1:8081', 8081],
    ['[::1]:8081', 8081],
    ['app.localhost:8081', 8081],
    ['localhost', ''],
  ])('is accepted under the name %s', async (host, port) => {
    const headers = { cookie: `latchkey_development_${port}=${token}` }
    expect(await status({ host, headers })).toBe(200)
  })

  it('is accepted behind a development server that forwards requests', async () => {
    const headers = {
      'x-forwarded-for': '127.0.0.1, ::1',
      'x-forwarded-host': 'localhost:5173',
      'x-forwarded-proto': 'http',
      'x-real-ip': '::ffff:127.0.0.1',
    }
    expect(await status({ headers })).toBe(200)
  })

  it('is accepted by a server that reports the peer only in a header', async () => {
    const headers = { 'x-forwarded-for': '::1', 'x-forwarded-host': 'localhost:8081' }

    expect(await status({ ip: null, headers })).toBe(200)
    expect(await status({ ip: null, headers: { ...headers, cookie: '' } })).toBe(401)
  })

  it('is accepted with the origin of the page itself', async () => {
    expect(await status({ headers: { origin: 'http://127.0.0.1:8081' } })).toBe(200)
  })
})

describe('a client on another machine', () => {
  it.each(['203.0.113.7', '192.168.0.2', '0.0.0.0', '::', '::ffff:10.0.0.1', 'fe80::1', 'x', null])(
    'gets 404 from %s',
    async (ip) => expect(await status({ ip })).toBe(404),
  )

  it.each([
    'evil.test',
    'evil.test:8081',
    'localhost.evil.test:8081',
    '127.0.0.1.evil.test',
    '127.0.0.1.nip.io:8081',
    'localhost.',
    '0.0.0.0:8081',
    '[::]:8081',
    '192.168.0.2:8081',
    '2130706433:8081',
    '127.1:8081',
    'localhost@evil.test',
    '',
  ])('gets 404 under the name %j, which resolves to this machine', async (host) => {
    expect(await status({ host })).toBe(404)
  })

  it.each([
    'https://evil.test',
    'null',
    'http://127.0.0.1:5173',
    'http://127.0.0.1',
    'http://localhost:8081',
    'http://127.0.0.1:8081.evil.test',
  ])('gets 404 for a script of %s', async (origin) => {
    expect(await status({ headers: { origin } })).toBe(404)
  })

  it.each([
    ['x-forwarded-for', '203.0.113.7'],
    ['x-forwarded-for', '127.0.0.1, 203.0.113.7'],
    ['x-forwarded-for', ''],
    ['x-real-ip', '203.0.113.7'],
    ['cf-connecting-ip', '203.0.113.7'],
    ['x-forwarded-host', 'abc.tunnel.test'],
    ['forwarded', 'for=203.0.113.7'],
    ['forwarded', 'for=127.0.0.1'],
  ])('gets 404 through a tunnel with the header %s: %s', async (name, value) => {
    expect(await status({ headers: { [name]: value } })).toBe(404)
  })

  it.each(['192.168.0.2', '127.0.0.1, 192.168.0.2', '192.168.0.2, 127.0.0.1', ''])(
    'gets 404 where a server reports the peer only in a header as %j',
    async (peer) =>
      expect(await status({ ip: null, headers: { 'x-forwarded-for': peer } })).toBe(404),
  )

  it('gets no CORS headers, whether rejected or not', async () => {
    for (const asker of [
      {},
      { ip: '203.0.113.7' },
      { headers: { cookie: '' } },
      { path: `a?token=${token}` },
    ]) {
      const { headers } = await ask(asker)
      expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([])
    }
  })
})

describe('the token', () => {
  it('is replaced by a cookie, and removed from the address', async () => {
    const answer = await ask({ headers: { cookie: '' }, path: `mail/1?view=text&token=${token}` })

    expect(answer.status).toBe(303)
    expect(answer.headers.get('location')).toBe('/auth/_latchkey/mail/1?view=text')
    expect(answer.headers.get('set-cookie')).toBe(
      `${cookie}; Path=/auth/_latchkey; HttpOnly; SameSite=Strict`,
    )
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(await answer.text()).toBe('')
  })

  it.each([
    ['no cookie', ''],
    ['another token', 'latchkey_development_8081=b0b1c2d3e4f5'],
    ['a part of it', 'latchkey_development_8081=a0b1c2'],
    ['more than it', `latchkey_development_8081=${token}0`],
    ['the cookie of another port', `latchkey_development_5173=${token}`],
  ])('is required: %s is rejected', async (_case, value) => {
    expect(await status({ headers: { cookie: value } })).toBe(401)
  })

  it('is rejected when it is wrong or repeated', async () => {
    const headers = { cookie: '' }
    expect(await status({ headers, path: 'mail?token=wrong' })).toBe(401)
    expect(await status({ headers, path: 'mail?token=' })).toBe(401)
    expect(await status({ headers, path: `mail?token=${token}&token=${token}` })).toBe(400)
  })

  it('is rejected on another machine', async () => {
    expect(await status({ ip: '203.0.113.7', path: `mail?token=${token}` })).toBe(404)
    expect(await status({ host: 'evil.test', path: `mail?token=${token}` })).toBe(404)
  })
})
