import { GoTrueClient } from '@supabase/auth-js'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type CookieBrowser, openCookieBrowser } from '../../../test/support/cookie-browser.ts'
import { type MessagingAuth, startMessagingAuth } from '../../../test/support/messages.ts'
import { testPassword } from '../../../test/support/test-auth.ts'
import { type CookieSessions, openCookieSessions } from './cookie-sessions.ts'
import type { RequestSession } from './request-session.ts'

let auth: MessagingAuth
let sessions: CookieSessions

beforeAll(async () => {
  auth = await startMessagingAuth()
  sessions = openCookieSessions(auth.auth, { origin: 'https://app.example.test' }, auth.clock)
  // The client uses Date to check whether a session has expired.
  vi.useFakeTimers({ toFake: ['Date'], now: auth.clock.now() })
})
afterAll(async () => {
  vi.useRealTimers()
  await auth.close()
})

/** Sends one request to the application, which uses the client and responds. */
async function serve<T>(
  browser: CookieBrowser,
  method: string,
  act: (client: GoTrueClient, session: RequestSession) => Promise<T>,
  headers: Record<string, string> = {},
): Promise<T> {
  const session = await sessions.open(
    browser.request(method, '/', { headers: { 'user-agent': 'A browser', ...headers } }),
    { ip: '203.0.113.9' },
  )
  const result = await act(new GoTrueClient(session.clientOptions()), session)
  const answer = new Headers()
  session.addHeaders(answer)
  browser.take({ headers: answer })
  return result
}

describe('a client of @supabase/auth-js on the server', () => {
  it('signs in, has the user in the next request, and signs out', async () => {
    const user = await auth.given.user()
    const browser = openCookieBrowser()
    const credentials = { email: user.email ?? '', password: testPassword }

    const signIn = await serve(browser, 'POST', (client) => client.signInWithPassword(credentials))
    const known = await serve(browser, 'GET', (client) => client.getUser())
    const session = await serve(browser, 'GET', (client) => client.getSession())
    const signOut = await serve(browser, 'POST', (client) => client.signOut())

    expect(signIn.error).toBeNull()
    expect(known.data.user?.id).toBe(user.id)
    expect(session.data.session?.user.email).toBe(user.email)
    expect(signOut.error).toBeNull()
    expect([...browser.cookies]).toEqual([])
  })

  it('creates no session from another origin, nor begins a sign-in', async () => {
    const { email: address } = await auth.given.user()
    const email = address ?? ''
    const foreign = { origin: 'https://evil.test' }
    const browser = openCookieBrowser()
    const acts: ((client: GoTrueClient) => Promise<unknown>)[] = [
      (client) => client.signInWithPassword({ email, password: testPassword }),
      (client) => client.signInWithOtp({ email }),
    ]

    for (const act of acts)
      await expect(serve(browser, 'POST', act, foreign)).rejects.toMatchObject({
        code: 'origin_not_allowed',
      })

    expect([...browser.cookies]).toEqual([])
    expect(await auth.messagesTo(email)).toEqual([])
  })

  it.each(['the client', 'the session'])(
    'begins a sign-in by a link that ends in a code, which %s accepts in another request',
    async (who) => {
      const user = await auth.given.user()
      const browser = openCookieBrowser()
      const email = user.email ?? ''
      await serve(browser, 'POST', (client) =>
        client.signInWithOtp({
          email,
          options: { emailRedirectTo: 'https://app.example.test/in' },
        }),
      )
      const { url } = await auth.follow(await auth.messageTo(email))
      const code = url?.searchParams.get('code') ?? ''

      const otherBrowser = openCookieBrowser()
      await expect(
        serve(otherBrowser, 'GET', (_, session) => session.exchangeCode(code)),
      ).rejects.toMatchObject({ code: 'flow_state_not_found' })
      await serve(browser, 'GET', async (client, session) => {
        if (who === 'the session') await session.exchangeCode(code)
        else expect((await client.exchangeCodeForSession(code)).error).toBeNull()
      })

      const known = await serve(browser, 'GET', (client) => client.getUser())
      expect(known.data.user?.id).toBe(user.id)
      const stored = await auth.rows(
        'select ip, user_agent from auth.sessions where user_id = $1',
        [user.id],
      )
      expect(stored).toEqual([{ ip: '203.0.113.9', user_agent: 'A browser' }])
    },
  )
})
