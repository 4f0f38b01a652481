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

  it('loads the session if the page was rendered without one, and the browser has one', async () => {
    const requested = vi.fn(async () => Response.json(session))
    const location = { origin: 'https://app.example.test', protocol: 'https:' }
    vi.stubGlobal('document', { cookie: '__Host-latchkey-state=0123456789abcdef' })
    vi.stubGlobal('location', location)
    vi.stubGlobal('fetch', requested)
    const { storage, storageKey } = pageClientOptions({ session: null })

    const held = await storage.getItem(storageKey)

    expect(JSON.parse(held ?? 'null')).toEqual(session)
    expect(requested).toHaveBeenCalledOnce()
  })
})
