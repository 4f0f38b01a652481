import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestAuth, type TestAuth } from '../../../../test/support/test-auth.ts'

const development = {
  development: true,
  siteUrl: 'http://127.0.0.1:3000',
  basePath: '/auth',
  email: {},
}
const path = '/auth/_latchkey/mail'
const local = { host: '127.0.0.1:3000' }

describe('a service in development', () => {
  let auth: TestAuth
  let token: string
  let cookie: string
  beforeAll(async () => {
    auth = await startTestAuth(development)
    token = (await auth.deps()).developerToken ?? ''
    cookie = `latchkey_development_3000=${token}`
  })
  afterAll(() => auth.close())

  const ask = (headers: Record<string, string>, ip = '127.0.0.1', at = path) =>
    auth.request('GET', at, { headers, ip })

  it('shows the messages to a client with the token', async () => {
    const entered = await ask(local, '127.0.0.1', `${path}?token=${token}`)
    await auth.post('/auth/signup', { email: 'ada@example.test', password: 'correct horse' })

    expect(entered.status).toBe(303)
    expect(entered.headers.get('set-cookie')).toContain(cookie)
    await expect
      .poll(async () => (await ask({ ...local, cookie })).text, { timeout: 15_000 })
      .toContain('http://127.0.0.1:3000/auth/verify?token=')
  })

  it('returns its address to the host, with or without a log', async () => {
    const url = (await auth.auth.mailboxUrl()) ?? ''
    const { pathname, search } = new URL(url)

    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:3000\//)
    expect((await ask(local, '127.0.0.1', pathname + search)).status).toBe(303)
  })

  it.each([
    ['from another machine', { ...local }, '203.0.113.7'],
    ['from another machine of the network', { ...local }, '192.168.1.20'],
    ['under a foreign name', { host: 'evil.test:3000' }, '127.0.0.1'],
    ['for a script elsewhere', { ...local, origin: 'https://evil.test' }, '127.0.0.1'],
    ['through a tunnel', { ...local, 'x-forwarded-for': '203.0.113.7' }, '127.0.0.1'],
  ])('shows nothing %s, also with the token', async (_case, headers, ip) => {
    for (const at of [path, `${path}?token=${token}`, `${path}/events`]) {
      const answer = await ask({ ...headers, cookie }, ip, at)
      expect([answer.status, answer.body?.error_code]).toEqual([404, 'not_found'])
      expect(answer.headers.get('set-cookie')).toBeNull()
    }
  })

  it('shows nothing without the token, which changes at each start', async () => {
    expect((await ask(local)).status).toBe(401)
    expect((await ask({ ...local, cookie: `${cookie}0` })).status).toBe(401)
    expect(token).toMatch(/^[0-9a-f]{32}$/)
  })

  it('rejects requests and preflights of scripts of other origins', async () => {
    const headers = {
      ...local,
      origin: 'https://evil.test',
      'access-control-request-method': 'GET',
    }
    const answers = [
      await auth.request('OPTIONS', path, { headers, ip: '127.0.0.1' }),
      await ask({ ...local, cookie }),
      await ask(local),
      await ask(local, '127.0.0.1', `${path}?token=${token}`),
      await ask(local, '203.0.113.7'),
      await ask({ ...local, cookie }, '127.0.0.1', `${path}/nothing`),
    ]
    expect(answers.map(({ status }) => status)).toEqual([405, 200, 401, 303, 404, 404])
    for (const answer of answers) {
      const names = [...answer.headers.keys()]
      expect(names.filter((name) => name.startsWith('access-control-'))).toEqual([])
    }
  })
})

describe('a service in production', () => {
  it('has no such page', async () => {
    const auth = await startTestAuth({ basePath: '/auth' })
    const answer = await auth.get(path, { ip: '127.0.0.1', headers: local })
    const { developerToken, mailbox } = await auth.deps()
    await auth.close()

    expect([answer.status, answer.body.error_code]).toEqual([404, 'not_found'])
    expect([developerToken, mailbox]).toEqual([null, null])
  })
})

describe('in development, where a carrier takes mails', () => {
  it('shows only text messages, and states that', async () => {
    const auth = await startTestAuth({ ...development, hooks: { sendEmail: async () => {} } })
    const { developerToken } = await auth.deps()
    const cookie = `latchkey_development_3000=${developerToken}`
    const page = await auth.get(path, { ip: '127.0.0.1', headers: { ...local, cookie } })
    await auth.close()

    expect(page.text).toContain('Text messages show up here. Mails are sent')
  })
})

it('has no mailbox, and no address of one, where all messages are sent', async () => {
  const auth = await startTestAuth()

  expect(await auth.auth.mailboxUrl()).toBeNull()
  await auth.close()
})
