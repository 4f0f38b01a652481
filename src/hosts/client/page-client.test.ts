import { once } from 'node:events'
import { GoTrueClient } from '@supabase/auth-js'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type PageSession, pageClientOptions } from './page-client.ts'

// Its behaviour in a page is tested in test/cookie-sessions-in-browser.test.ts.

const session: PageSession = {
  access_token: 'a.b.c',
  refresh_token: 'cookie-1',
  token_type: 'bearer',
  expires_at: Math.floor(Date.now() / 1000) + 3_600,
  expires_in: 3_600,
  user: { id: '1', email: 'ada@example.test' },
}

describe('a client of a page that is rendered on the server', () => {
  const requested = vi.spyOn(globalThis, 'fetch')
  afterEach(() => expect(requested).not.toHaveBeenCalled())

  it('has the session that it receives, and sends no request', async () => {
    const client = new GoTrueClient(pageClientOptions({ session }))

    const { data, error } = await client.getSession()

    expect(error).toBeNull()
    expect(data.session).toMatchObject({
      access_token: 'a.b.c',
      user: { email: 'ada@example.test' },
    })
  })

  it.each([{ session: null }, {}])('has no session without one: %o', async (input) => {
    const client = new GoTrueClient(pageClientOptions(input))

    const { data, error } = await client.getSession()

    expect([data.session, error]).toEqual([null, null])
  })

  it('stores nothing of one user for the next', async () => {
    await new GoTrueClient(pageClientOptions({ session })).getSession()

    const { data } = await new GoTrueClient(pageClientOptions()).getSession()

    expect(data.session).toBeNull()
  })
})

describe('a client of a page in a browser', () => {
  afterEach(() => vi.unstubAllGlobals())

  const location = { origin: 'https://app.example.test', protocol: 'https:' }
  const of = (user: string): PageSession => ({
    ...session,
    access_token: `a.${user}.c`,
    refresh_token: `cookie-${user}`,
    user: { id: user, email: `${user}@example.test` },
  })

  /** A page of Ada, in whose browser Eve then signs in by a form of the server. */
  function pageOfAda() {
    let signedIn = 'ada'
    const document = {
      get cookie() {
        return `__Host-latchkey-state=${signedIn}`
      },
      // The client's other cookies.
      set cookie(_) {},
    }
    const sent: string[] = []
    vi.stubGlobal('document', document)
    vi.stubGlobal('location', location)
    vi.stubGlobal('fetch', async (target: string, init: RequestInit = {}) => {
      const path = target.replace('https://app.example.test/auth', '')
      if (path === '/session') return Response.json(of('eve'))
      sent.push(`${init.method} ${path} ${new Headers(init.headers).get('authorization')}`)
      return Response.json({ id: 'eve' })
    })
    const options = { ...pageClientOptions({ session: of('ada') }), autoRefreshToken: false }
    const client = new GoTrueClient(options)
    const eveSignsIn = () => {
      signedIn = 'eve'
    }
    return { client, sent, eveSignsIn, storageKey: options.storageKey }
  }

  it('names its session in requests, in place of the access token, which the cookies contain', async () => {
    const { client, sent } = pageOfAda()

    await client.updateUser({ data: { name: 'Ada' } })

    expect(sent).toEqual(['PUT /user Bearer cookie-ada'])
  })

  it.each([
    { code: 'session_not_found', message: 'Session does not exist' },
    { code: 403, error_code: 'session_not_found', msg: 'Session does not exist' },
  ])('is signed out where its session has ended elsewhere: %o', async (rejection) => {
    vi.stubGlobal('document', { cookie: '' })
    vi.stubGlobal('location', location)
    vi.stubGlobal('fetch', async () => Response.json(rejection, { status: 403 }))
    const { fetch } = pageClientOptions({ session: of('ada') })
    const ask = (path: string) => fetch(`https://app.example.test/auth${path}`, { method: 'POST' })

    expect((await ask('/logout?scope=global')).status).toBe(204)
    expect((await ask('/logout?scope=others')).status).toBe(403)
    expect((await ask('/factors')).status).toBe(403)
  })

  it('of a former user rejects one change, and is informed of the present user', async () => {
    const { client, sent, eveSignsIn, storageKey } = pageOfAda()
    await client.getSession()
    const channel = new BroadcastChannel(storageKey)
    const message = once(channel, 'message')
    eveSignsIn()

    const { error } = await client.updateUser({ data: { name: 'Ada' } })
    const before = [...sent]
    await client.updateUser({ data: { name: 'Eve' } })

    expect([error?.status, error?.code, before]).toEqual([409, 'conflict', []])
    expect(sent).toEqual(['PUT /user Bearer cookie-eve'])
    const [{ data }] = await message
    expect([data.event, data.session.user.id]).toEqual(['SIGNED_IN', 'eve'])
    channel.close()
  })

  it('acts for a user of whose sign-in another page has informed it', async () => {
    const { client, sent, eveSignsIn, storageKey } = pageOfAda()
    await client.getSession()
    eveSignsIn()
    const [channel, witness] = [new BroadcastChannel(storageKey), new BroadcastChannel(storageKey)]
    const delivered = once(witness, 'message')
    channel.postMessage({ event: 'SIGNED_IN', session: of('eve') })
    await delivered

    const { error } = await client.updateUser({ data: { name: 'Eve' } })

    expect([error, sent]).toEqual([null, ['PUT /user Bearer cookie-eve']])
    for (const opened of [channel, witness]) opened.close()
  })

  it('loads the session if the page was rendered without one, and the browser has one', async () => {
    const requested = vi.fn(async () => Response.json(session))
    vi.stubGlobal('document', { cookie: '__Host-latchkey-state=0123456789abcdef' })
    vi.stubGlobal('location', location)
    vi.stubGlobal('fetch', requested)
    const { storage, storageKey } = pageClientOptions({ session: null })

    const held = await storage.getItem(storageKey)

    expect(JSON.parse(held ?? 'null')).toEqual(session)
    expect(requested).toHaveBeenCalledOnce()
  })
})
