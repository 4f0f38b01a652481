import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Answer, startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'

let auth: TestAuth

const off = { tokenRefresh: 'off', otp: 'off', emailSent: 'off' } as const

beforeAll(async () => {
  auth = await startTestAuth({
    rateLimits: off,
    email: { autoconfirm: true, maxFrequencySeconds: 0 },
  })
})
afterAll(() => auth.close())
beforeEach(async () => {
  auth.clock.advance(2 * 3_600 + 60)
  await auth.rows('delete from auth.audit_entries')
})

interface StoredEntry {
  id: string
  action: number
  ip: string | null
  occurrences: number | null
  created_at: Date
}

const stored = () =>
  auth.rows<StoredEntry>(
    'select id, action, abbrev(ip) as ip, occurrences, created_at from auth.audit_entries order by id',
  )
const signIn = (email: string, ip: string) =>
  auth.post('/token?grant_type=password', { email, password: 'wrong' }, { ip })
const recover = (email: string, ip: string) => auth.post('/recover', { email }, { ip })
const resend = (email: string, ip: string) =>
  auth.post('/resend', { type: 'signup', email }, { ip })

const client = '198.51.100.4'

describe('S24: requests for an address without an account', () => {
  it.each<[string, number, (email: string, ip: string) => Promise<Answer>]>([
    ['/token', 9, signIn],
    ['/recover', 11, recover],
    ['/resend', 4, resend],
  ])('to %s are one entry for the client, the address and the hour', async (_, action, ask) => {
    for (let time = 0; time < 5; time += 1) await ask('nobody@example.test', client)
    const first = await stored()
    auth.clock.advance(3_600)
    await ask('nobody@example.test', client)
    const second = await stored()

    expect(first).toMatchObject([{ action, ip: client, occurrences: 5 }])
    const hour = new Date(
      Math.floor((auth.clock.now().getTime() - 3_600_000) / 3_600_000) * 3_600_000,
    )
    expect(new Date(first[0]?.created_at ?? 0)).toEqual(hour)
    expect(second).toMatchObject([{ occurrences: 5 }, { action, occurrences: 1 }])
  })

  it('are counted exactly when they are concurrent', async () => {
    await Promise.all(Array.from({ length: 40 }, () => recover('nobody@example.test', client)))

    expect(await stored()).toMatchObject([{ occurrences: 40 }])
  })

  it('are at most 32 entries an hour for a /48, whatever addresses it submits', async () => {
    for (let index = 0; index < 300; index += 1) {
      await recover(`nobody${index}@example.test`, `2001:db8:bad:${index.toString(16)}::1`)
    }

    const entries = await stored()
    expect(entries.length).toBeLessThanOrEqual(32)
    expect(entries.reduce((sum, { occurrences }) => sum + (occurrences ?? 0), 0)).toBe(300)
    // Each entry contains the smallest network of its clients, and none is wider than the
    // attacker's.
    for (const { ip } of entries) expect(ip).toMatch(/^2001:db8:bad:.*\/(4[89]|5\d|6[0-4])$/)
  })

  it('are counted separately for other clients, actions and reasons', async () => {
    await recover('nobody@example.test', client)
    await recover('nobody@example.test', '203.0.113.9')
    await resend('nobody@example.test', client)
    await signIn('nobody@example.test', client)

    expect(await stored()).toHaveLength(4)
  })

  it('store no address', async () => {
    await signIn('nobody@example.test', client)

    const rows = await auth.rows('select * from auth.audit_entries')
    expect(JSON.stringify(rows)).not.toContain('nobody')
  })

  it('are listed with their number, in code and on the wire', async () => {
    for (let time = 0; time < 3; time += 1) await signIn('nobody@example.test', client)
    const { email } = await auth.given.user()
    await signIn(email ?? '', client)

    const { entries } = await auth.auth.admin.listAudit({ action: 'failed_sign_in' })
    const token = await auth.given.serviceToken()
    const { body } = await auth.get('/admin/audit?query=action:failed_sign_in', { token })

    expect(entries.map(({ occurrences, ip }) => [occurrences, ip])).toEqual([
      [1, client],
      [3, client],
    ])
    const shown = body as unknown as { payload: { occurrences?: number }; ip_address: string }[]
    expect(shown.map((one) => one.payload.occurrences)).toEqual([undefined, 3])
    expect(shown[1]?.ip_address).toBe(client)
  })

  it('S24: for an address with an account are an entry each', async () => {
    const { id, email } = await auth.given.user()
    await auth.rows('delete from auth.audit_entries')
    for (let time = 0; time < 3; time += 1) await recover(email ?? '', client)

    const rows = await auth.rows('select actor_id, occurrences from auth.audit_entries')
    expect(rows).toEqual(Array(3).fill({ actor_id: id, occurrences: null }))
  })
})
