import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Answer,
  startTestAuth,
  type TestAuth,
  testPassword,
} from '../../../test/support/test-auth.ts'

let auth: TestAuth
let token: string

beforeAll(async () => {
  auth = await startTestAuth()
  token = await auth.given.serviceToken()
})
afterAll(() => auth.close())

let made = 0
const newEmail = () => `changed-${++made}@example.test`
const newPhone = () => `49152${String(++made).padStart(8, '0')}`
const unknownId = '00000000-0b57-4a39-9c39-0d3f1f7c1e0b'

const create = (body: object, path = '/admin/users') => auth.post(path, body, { token })
const update = (id: string, body: object) => auth.put(`/admin/users/${id}`, body, { token })
const find = (id: string) => auth.get(`/admin/users/${id}`, { token })

const statusAndCode = ({ status, body }: Answer) => [status, body.error_code, body.msg]
const signIn = (email: string, password: string) =>
  auth.post('/token?grant_type=password', { email, password })

describe('finding a user', () => {
  it.each([
    ['an invalid UUID', 'ada', [404, 'validation_failed', 'user_id must be an UUID']],
    ['nobody', unknownId, [404, 'user_not_found', 'User not found']],
  ])('responds 404 for %s, to a change as well', async (_case, id, expected) => {
    expect(statusAndCode(await find(id))).toEqual(expected)
    expect(statusAndCode(await update(id, { role: 'staff' }))).toEqual(expected)
  })

  it('accepts the id in either letter case, and users of every audience', async () => {
    const { body } = await create({ email: newEmail(), aud: 'elsewhere' })

    const answers = [await find(body.id.toUpperCase()), await find(body.id)]

    expect(answers.map(({ body: found }) => found.id)).toEqual([body.id, body.id])
  })
})

describe('changing a user', () => {
  it('changes the submitted fields and keeps the others', async () => {
    const { body: before } = await create({
      email: newEmail(),
      password: testPassword,
      email_confirm: true,
      role: 'staff',
      user_metadata: { name: 'Ada', color: 'red' },
      app_metadata: { plan: 'pro' },
    })
    auth.clock.advance(60)

    const { status, body } = await update(before.id.toUpperCase(), {
      user_metadata: { color: null, age: 36 },
      app_metadata: { plan: 'free' },
    })

    expect(status).toBe(200)
    expect(body).toEqual({
      ...before,
      user_metadata: { name: 'Ada', age: 36, email_verified: true },
      app_metadata: { ...before.app_metadata, plan: 'free' },
      updated_at: auth.clock.now().toISOString(),
    })
    expect((await signIn(before.email, testPassword)).status).toBe(200)
  })

  it('cancels a pending change of address: its confirmation does not apply to the new address', async () => {
    const { id } = await auth.given.user(newEmail())
    await auth.rows(
      `update auth.users set new_email = 'eve@example.test', email_change_sent_at = now(),
        email_change_confirm_status = 1, new_phone = '15550001', phone_change_sent_at = now() where id = $1`,
      [id],
    )

    await update(id, { email: newEmail() })

    const [user] = await auth.rows(
      'select new_email, new_phone, email_change_confirm_status as status from auth.users where id = $1',
      [id],
    )
    expect(user).toEqual({ new_email: null, new_phone: null, status: 0 })
  })

  it('changes an email at once, keeps it confirmed, and revokes messages to the former one', async () => {
    const { body: before } = await create({ email: newEmail(), email_confirm: true })
    await auth.rows(
      `insert into auth.one_time_tokens
        (id, user_id, purpose, requested_by, sent_to, token_hash, code_hash, expires_at, created_at)
       select gen_random_uuid(), $1, 'recovery', 'recover', 'x', repeat('a', 43), repeat('b', 43), now(), now()`,
      [before.id],
    )
    const email = newEmail()

    const { body } = await update(before.id, { email: email.toUpperCase() })
    const tokens = await auth.rows('select id from auth.one_time_tokens where user_id = $1', [
      before.id,
    ])

    expect(body).toMatchObject({ email, email_confirmed_at: before.email_confirmed_at })
    expect(body.identities).toEqual([
      expect.objectContaining({
        identity_id: before.identities[0].identity_id,
        email,
        identity_data: expect.objectContaining({ email, email_verified: false }),
      }),
    ])
    expect(tokens).toEqual([])
  })

  it('adds a phone with its identity, confirmed on request', async () => {
    const { body: before } = await create({ email: newEmail() })
    const phone = newPhone()

    const { body } = await update(before.id, { phone: `+${phone}`, phone_confirm: true })

    expect(body).toMatchObject({
      phone,
      phone_confirmed_at: auth.clock.now().toISOString(),
      app_metadata: { provider: 'email', providers: ['email', 'phone'] },
    })
    const identity = body.identities.find(
      ({ provider }: { provider: string }) => provider === 'phone',
    )
    expect(identity.identity_data).toMatchObject({ sub: before.id, phone, phone_verified: true })
  })

  it('confirms an address, and never removes a confirmation', async () => {
    const { body: before } = await create({ email: newEmail() })

    const confirmed = await update(before.id, { email_confirm: true, phone_confirm: true })
    auth.clock.advance(60)
    const again = await update(before.id, { email_confirm: true })
    const denied = await update(before.id, { email_confirm: false })

    expect(confirmed.body.email_confirmed_at).toEqual(expect.any(String))
    expect(confirmed.body).not.toHaveProperty('phone_confirmed_at')
    expect(confirmed.body.user_metadata).toEqual({ email_verified: true })
    expect(confirmed.body.identities[0].identity_data.email_verified).toBe(true)
    for (const { body } of [again, denied]) {
      expect(body.email_confirmed_at).toBe(confirmed.body.email_confirmed_at)
    }
  })

  it('changes a soft-deleted user, too', async () => {
    const { body: user } = await create({ email: newEmail() })
    await auth.request('DELETE', `/admin/users/${user.id}`, {
      token,
      body: { should_soft_delete: true },
    })

    const { status, body } = await update(user.id, { app_metadata: { ticket: 7 } })

    expect([status, body.app_metadata.ticket]).toEqual([200, 7])
    expect(body.deleted_at).toEqual(expect.any(String))
  })

  it.each([
    ['email', newEmail],
    ['phone', newPhone],
  ])('rejects an %s for a deleted user, also one that is not confirmed', async (kind, newOne) => {
    const { body: user } = await create({ email: newEmail() })
    const address = newOne()
    await auth.rows(`update auth.users set registered_by = 'signup' where id = $1`, [
      (await create({ [kind]: address })).body.id,
    ])
    await auth.request('DELETE', `/admin/users/${user.id}`, {
      token,
      body: { should_soft_delete: true },
    })
    const { body: before } = await find(user.id)

    const answers = [
      await update(user.id, { [kind]: address }),
      await update(user.id, { [kind]: newOne() }),
    ]

    expect(answers.map(({ status, body }) => [status, body.error_code])).toEqual([
      [404, 'user_not_found'],
      [404, 'user_not_found'],
    ])
    expect((await find(user.id)).body).toEqual(before)
    const holders = await auth.rows(`select deleted_at from auth.users where ${kind} = $1`, [
      address,
    ])
    expect(holders).toEqual([{ deleted_at: null }])
  })

  it('rejects an address of another user, and changes nothing', async () => {
    const [one, other] = [
      await create({ email: newEmail(), phone: newPhone() }),
      await create({ email: newEmail(), phone: newPhone() }),
    ].map(({ body }) => body)

    const answers = [
      await update(one.id, { email: other.email.toUpperCase(), role: 'staff' }),
      await update(one.id, { phone: other.phone }),
      await update(one.id, { email: one.email, phone: one.phone }),
    ]

    expect(answers.map(({ status, body }) => [status, body.error_code])).toEqual([
      [422, 'email_exists'],
      [422, 'phone_exists'],
      [200, undefined],
    ])
    expect((await find(one.id)).body.role).toBe('authenticated')
  })

  it('assigns an address to one of two users when requested concurrently', async () => {
    const users = await Promise.all([create({ phone: newPhone() }), create({ phone: newPhone() })])
    const email = newEmail()

    const answers = await Promise.all(users.map(({ body }) => update(body.id, { email })))

    const refused = answers.filter(({ status }) => status !== 200)
    expect(refused).toHaveLength(1)
    expect([409, 422]).toContain(refused[0]?.status)
  })

  it('ends all sessions with a new password, which must be strong', async () => {
    const { user, accessToken, refreshToken } = await auth.given.session()

    const weak = await update(user.id, { password: '' })
    const strong = await update(user.id, { password: 'a brand new password' })
    const old = await auth.get('/user', { token: accessToken })
    const renewed = await auth.post('/token?grant_type=refresh_token', {
      refresh_token: refreshToken,
    })

    expect(statusAndCode(weak).slice(0, 2)).toEqual([422, 'weak_password'])
    expect(strong.status).toBe(200)
    expect([old.body.error_code, renewed.body.error_code]).toEqual([
      'session_not_found',
      'refresh_token_not_found',
    ])
    expect((await signIn(user.email ?? '', 'a brand new password')).status).toBe(200)
  })

  it.each([
    ['email', { email: 'no address' }, /^email: /],
    ['phone', { phone: 'no number' }, /^Invalid phone number format \(E\.164 required\)$/],
    ['ban', { ban_duration: '1 week' }, /^ban_duration: /],
    ['password', { password: 'x'.repeat(1025) }, /^password: /],
  ])('is rejected for a malformed %s', async (_case, body, message) => {
    const { body: user } = await create({ email: newEmail() })

    const answer = await update(user.id, { ...body, role: 'staff' })

    expect([answer.status, answer.body.error_code]).toEqual([400, 'validation_failed'])
    expect(answer.body.msg).toMatch(message)
    expect((await find(user.id)).body.role).toBe('authenticated')
  })
})

describe('a ban', () => {
  it('lasts its duration, is stored, and is lifted by none or 0', async () => {
    const { user, accessToken } = await auth.given.session()
    const reach = async () => (await auth.get('/user', { token: accessToken })).body.error_code

    const banned = await update(user.id, { ban_duration: '24h' })
    const during = await reach()
    await update(user.id, { ban_duration: '' })
    const untouched = await reach()
    const lifted = await update(user.id, { ban_duration: 'none' })
    const after = await reach()
    await update(user.id, { ban_duration: '1h' })
    const zero = await update(user.id, { ban_duration: '0' })

    expect(banned.body.banned_until).toBe(
      new Date(auth.clock.now().getTime() + 86_400_000).toISOString(),
    )
    expect([during, untouched, after]).toEqual(['user_banned', 'user_banned', undefined])
    expect(lifted.body).not.toHaveProperty('banned_until')
    expect(zero.body).not.toHaveProperty('banned_until')
  })
})
