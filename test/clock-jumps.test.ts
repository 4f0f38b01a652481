import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createSweeping } from '../src/service/background/sweep-expired.ts'
import { type MessagingAuth, startMessagingAuth } from './support/messages.ts'
import { type Answer, testPassword } from './support/test-auth.ts'

// Clocks that jump by an hour: that of the service, and that of the database with it.

const hour = 3600
const client = { ip: '203.0.113.10' }

let auth: MessagingAuth
beforeEach(async () => {
  auth = await startMessagingAuth({
    email: { autoconfirm: false, maxFrequencySeconds: 60 },
    rateLimits: { store: 'postgres', tokenRefresh: 2, emailSent: 'off', otp: 'off', verify: 'off' },
  })
})
afterEach(() => auth.close())

const statusAndCode = ({ status, body }: Answer) => [status, body.error_code]
const ok = [200, undefined]
const refresh = (refreshToken: string) =>
  auth.post('/token?grant_type=refresh_token', { refresh_token: refreshToken }, client)
const signIn = (email: string, password = testPassword) =>
  auth.post('/token?grant_type=password', { email, password }, client)
const requestCode = (email: string) => auth.post('/otp', { email }, client)

describe.each([
  ['forward', hour],
  ['back', -hour],
])('S80: a clock that jumps an hour %s', (_, seconds) => {
  it('ends no session', async () => {
    const { refreshToken } = await auth.given.session()
    auth.clock.advance(seconds)

    const refreshed = await refresh(refreshToken)
    const { status } = await auth.get('/user', { token: refreshed.body.access_token })

    expect([refreshed.status, status]).toEqual([200, 200])
    expect((await refresh(refreshed.body.refresh_token)).status).toBe(200)
  })

  it('lets a client request a code after the interval, and use it', async () => {
    const { email = '' } = await auth.given.user()
    await requestCode(email ?? '')
    expect(statusAndCode(await requestCode(email ?? ''))).toEqual([
      429,
      'over_email_send_rate_limit',
    ])
    auth.clock.advance(seconds)
    auth.clock.advance(61)

    expect(statusAndCode(await requestCode(email ?? ''))).toEqual(ok)
    const { code } = await auth.messageTo(email ?? '')
    expect((await auth.post('/verify', { type: 'email', email, token: code })).status).toBe(200)
  })

  it('does not extend the wait of a client whose limit is used up', async () => {
    const { refreshToken } = await auth.given.session()
    let token = refreshToken
    let answer = await refresh(token)
    for (let sent = 0; answer.status === 200 && sent < 100; sent += 1) {
      token = answer.body.refresh_token
      answer = await refresh(token)
    }
    expect(answer.status).toBe(429)
    auth.clock.advance(seconds)
    auth.clock.advance(Number(answer.headers.get('retry-after')))

    expect((await refresh(token)).status).toBe(200)
  })

  it('does not extend the wait after wrong passwords', async () => {
    const { email = '' } = await auth.given.user()
    let answer = await signIn(email ?? '', 'wrong')
    for (let sent = 0; answer.status === 400 && sent < 100; sent += 1) {
      answer = await signIn(email ?? '', 'wrong')
    }
    expect(answer.status).toBe(429)
    auth.clock.advance(seconds)
    auth.clock.advance(Number(answer.headers.get('retry-after')))

    expect((await signIn(email ?? '')).status).toBe(200)
  })

  it('delays no message that is requested afterwards', async () => {
    const { email = '' } = await auth.given.user()
    auth.clock.advance(seconds)
    await requestCode(email ?? '')

    expect((await auth.messageTo(email ?? '')).type).toBe('magiclink')
  })

  it('makes no sweep delete a session, or a code that is valid', async () => {
    const { user, refreshToken } = await auth.given.session()
    await requestCode(user.email ?? '')
    auth.clock.advance(seconds)
    await createSweeping(await auth.deps()).sweep(10_000)

    const tokens = await auth.rows('select from auth.one_time_tokens where user_id = $1', [user.id])
    expect(tokens).toHaveLength(1)
    expect((await refresh(refreshToken)).status).toBe(200)
  })
})

describe('a lease of a message', () => {
  const row = async (email: string) => {
    const sql = 'select status from auth.outbox_messages where recipient = $1'
    return (await auth.rows(sql, [email]))[0]?.['status']
  }
  /** Stores a message that a process claimed, which ended afterwards. */
  async function leased(): Promise<string> {
    const { email } = await auth.given.user()
    await requestCode(email ?? '')
    await auth.messageTo(email ?? '')
    const body = await auth.rows('select body from auth.outbox_messages where recipient = $1', [
      email,
    ])
    expect(body).toHaveLength(1)
    await auth.rows(
      `update auth.outbox_messages set status = 'sending', next_attempt_at = $2, settled_at = null
       where recipient = $1`,
      [email, new Date(auth.clock.now().getTime() + 60_000)],
    )
    return email ?? ''
  }
  const isTaken = async (email: string) => {
    ;(await auth.deps()).outbox.wake()
    await (await auth.deps()).outbox.settled()
    return (await row(email)) !== 'sending'
  }

  it('ends when the clock jumps forward', async () => {
    const email = await leased()
    expect(await isTaken(email)).toBe(false)
    auth.clock.advance(hour)

    await expect.poll(() => isTaken(email)).toBe(true)
  })

  it('ends at its time when the clock jumps back', async () => {
    const email = await leased()
    auth.clock.advance(-hour)
    expect(await isTaken(email)).toBe(false)
    auth.clock.advance(hour + 61)

    await expect.poll(() => isTaken(email)).toBe(true)
  })
})
