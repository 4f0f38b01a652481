import { afterEach, describe, expect, it } from 'vitest'
import type { FetchAnswer } from '../src/platform/kit/safe-fetch.ts'
import { pagesBeside } from './support/pages.ts'
import { startTestAuth, type TestAuth, testPassword } from './support/test-auth.ts'
import { waitFor } from './support/wait-for.ts'

let auth: TestAuth
afterEach(() => auth.close())

/** Starts a server whose responses wait until they are released. */
function slowServer(text: string) {
  let running = 0
  let most = 0
  let requested = 0
  let isReleased = false
  const waiting: (() => void)[] = []
  const fetch = async (): Promise<FetchAnswer> => {
    requested += 1
    running += 1
    most = Math.max(most, running)
    if (!isReleased) await new Promise<void>((resolve) => waiting.push(resolve))
    running -= 1
    return { status: 200, headers: {}, bytes: Buffer.from(text), text }
  }
  const release = () => {
    isReleased = true
    for (const one of waiting.splice(0)) one()
  }
  return { fetch, release, requested: () => requested, most: () => most }
}

const captcha = { enabled: true, provider: 'turnstile', secret: 'a secret' } as const

const recover = (index: number) =>
  auth.post(
    '/recover',
    { email: `n${index}@example.test`, captcha_token: `token ${index}` },
    { ip: `198.51.100.${index}` },
  )

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))

describe('S19: outgoing requests that clients cause', () => {
  it('are sent 16 at a time', async () => {
    const provider = slowServer('{"success":true}')
    auth = await startTestAuth({ security: { captcha } }, { fetch: provider.fetch })

    await auth.deps()

    const answers = times(60, recover)
    await waitFor(() => expect(provider.requested()).toBe(16))
    // All others have reached the queue by then.
    await auth.get('/user', { token: await auth.given.serviceToken() })
    expect(provider.requested()).toBe(16)
    provider.release()

    expect(new Set((await Promise.all(answers)).map(({ status }) => status))).toEqual(
      new Set([200]),
    )
    expect(provider.requested()).toBe(60)
    expect(provider.most()).toBe(16)
  })

  it('are rejected with 503 and Retry-After beyond the queue', async () => {
    const provider = slowServer('{"success":true}')
    auth = await startTestAuth(
      { security: { captcha }, outgoing: { maxRequests: 1 } },
      { fetch: provider.fetch },
    )

    const answers = times(12, recover)
    const [rejected] = await Promise.all(answers.slice(9))
    provider.release()
    const statuses = (await Promise.all(answers)).map(({ status }) => status)

    expect(rejected?.body.error_code).toBe('service_unavailable')
    expect(rejected?.headers.get('retry-after')).toBe('1')
    expect(statuses).toEqual([...times(9, () => 200), 503, 503, 503])
  })

  it('S16: of one /48 do not prevent requests of another client', async () => {
    const provider = slowServer('{"success":true}')
    auth = await startTestAuth(
      { security: { captcha }, outgoing: { maxRequests: 1 } },
      { fetch: provider.fetch },
    )
    const ofSite = (index: number) => {
      const body = { email: `n${index}@example.test`, captcha_token: `token ${index}` }
      return auth.post('/recover', body, { ip: `2001:db8:7:${index}::1` })
    }

    let rejected = 0
    const flood = times(12, async (index) => {
      const { status } = await ofSite(index)
      if (status === 503) rejected += 1
    })
    await waitFor(() => expect(rejected).toBe(3))
    const other = recover(1)
    await waitFor(() => expect(rejected).toBe(4))
    provider.release()

    expect((await other).status).toBe(200)
    await Promise.all(flood)
  })

  it('S16: of one /48 do not prevent log-ins of another client to subscribe pages', async () => {
    const provider = slowServer('{"success":true}')
    auth = await startTestAuth(
      { security: { captcha }, outgoing: { maxRequests: 1 } },
      { fetch: provider.fetch },
    )
    const pages = pagesBeside(auth)
    const { email } = await pages.operator()
    const logIn = (ip: string, token: string) => {
      const body = { login_name: email, password: testPassword, captcha_token: token }
      return pages.ask('POST', '/sessions', { body, ip })
    }

    let rejected = 0
    const flood = times(12, async (index) => {
      const { status } = await logIn(`2001:db8:7:${index}::1`, `token ${index}`)
      if (status === 503) rejected += 1
    })
    await waitFor(() => expect(rejected).toBe(3))
    const other = logIn('198.51.100.1', 'token')
    await waitFor(() => expect(rejected).toBe(4))
    provider.release()

    expect((await other).status).toBe(201)
    await Promise.all(flood)
  })

  it('of captchas prevent no others while their service does not respond', async () => {
    const captchas = slowServer('{"success":true}')
    const others = slowServer('0018A45C4D1DEF81644B54AB7F969B88D65:1')
    others.release()
    auth = await startTestAuth(
      { security: { captcha }, passwords: { hibpEnabled: true }, outgoing: { maxRequests: 1 } },
      { fetch: (url) => (url.includes('/siteverify') ? captchas : others).fetch() },
    )
    const { accessToken: token } = await auth.given.session()

    const waiting = times(9, recover)
    await waitFor(() => expect(captchas.requested()).toBe(1))
    const changed = await auth.put('/user', { password: 'another correct horse' }, { token })
    captchas.release()

    expect(changed.status).toBe(200)
    expect(new Set((await Promise.all(waiting)).map(({ status }) => status))).toEqual(
      new Set([200]),
    )
  })

  it('are not skipped beyond the queue where they check a password', async () => {
    const service = slowServer('0018A45C4D1DEF81644B54AB7F969B88D65:1')
    auth = await startTestAuth(
      { passwords: { hibpEnabled: true }, outgoing: { maxRequests: 1 } },
      { fetch: service.fetch },
    )

    const signUp = (index: number) =>
      auth.post('/signup', { email: `n${index}@example.test`, password: `correct horse ${index}` })
    const answers = times(12, signUp)
    const rejected = await Promise.race(answers)
    service.release()
    const statuses = (await Promise.all(answers)).map(({ status }) => status)

    expect(rejected.status).toBe(503)
    expect(statuses.filter((status) => status === 503)).toHaveLength(3)
    expect(statuses.filter((status) => status === 200)).toHaveLength(9)
    // The service itself did not fail, so it is still requested.
    expect((await signUp(99)).status).toBe(200)
    expect(service.requested()).toBe(10)
  })
})
