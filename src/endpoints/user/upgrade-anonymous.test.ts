import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MessagingAuth, startMessagingAuth } from '../../../test/support/messages.ts'
import { claimsIn } from '../../../test/support/second-factors.ts'
import { testPassword } from '../../../test/support/test-auth.ts'

// An anonymous user adds an address and keeps the account.

/** Requires confirmation of addresses. */
let auth: MessagingAuth
/** Confirms addresses at once. */
let trusting: MessagingAuth

const anonymousUsers = { enabled: true }

beforeAll(async () => {
  auth = await startMessagingAuth({ anonymousUsers })
  trusting = await startMessagingAuth({
    anonymousUsers,
    email: { autoconfirm: true },
    sms: { autoconfirm: true },
  })
})
afterAll(() => Promise.all([auth.close(), trusting.close()]))

let made = 0
const newEmail = () => `upgrade-${++made}@example.test`
const newPhone = () => `49157${String(++made).padStart(8, '0')}`

const ann = { ip: '203.0.113.10' }
const eve = { ip: '198.51.100.66' }

async function anonymous(on = auth, from = ann) {
  const { body } = await on.post('/signup', { data: { cart: 7 } }, from)
  return {
    id: String(body.user.id),
    token: String(body.access_token),
    refreshToken: String(body.refresh_token),
  }
}

const refresh = async (refreshToken: string, on = auth) =>
  (await on.post('/token?grant_type=refresh_token', { refresh_token: refreshToken })).body
const signsIn = async (address: object, on = auth) => {
  const { body } = await on.post('/token?grant_type=password', {
    ...address,
    password: testPassword,
  })
  return body.user?.id ?? body.error_code
}
const storedOf = async (id: string, on = auth) => {
  const [row] = await on.rows(
    `select is_anonymous, email, phone, registered_by, user_metadata, app_metadata,
      password_hash is not null as has_password,
      (select coalesce(jsonb_agg(provider), '[]') from auth.identities where user_id = u.id) as providers
     from auth.users u where id = $1`,
    [id],
  )
  return row
}

describe('an anonymous user who adds an email', () => {
  it('stays anonymous until it is confirmed by the link, and keeps the id', async () => {
    const { id, token } = await anonymous()
    const email = newEmail()

    const requested = await auth.put('/user', { email }, { token, ...ann })
    const { fragment } = await auth.follow(await auth.messageTo(email))

    expect([requested.status, requested.body]).toMatchObject([
      200,
      { id, is_anonymous: true, email: '', new_email: email },
    ])
    expect(claimsIn(fragment.get('access_token') ?? '')).toMatchObject({
      sub: id,
      email,
      is_anonymous: false,
    })
  })

  it('confirms it as the requesting client: metadata stays, session and password end', async () => {
    const { id, token, refreshToken } = await anonymous()
    const email = newEmail()
    await auth.put(
      '/user',
      { email, password: testPassword, data: { theme: 'dark' } },
      { token, ...ann },
    )
    expect(await signsIn({ email })).toBe('invalid_credentials')
    const { hash } = await auth.messageTo(email)

    const verified = await auth.post('/verify', { type: 'email_change', token_hash: hash }, ann)

    expect([verified.status, verified.body.user]).toMatchObject([
      200,
      {
        id,
        email,
        email_confirmed_at: auth.clock.now().toISOString(),
        is_anonymous: false,
        app_metadata: { provider: 'email', providers: ['email'] },
        user_metadata: { cart: 7, theme: 'dark' },
        identities: [{ provider: 'email', identity_data: { email, email_verified: true } }],
      },
    ])
    expect(await signsIn({ email })).toBe('invalid_credentials')
    expect((await auth.get('/user', { token })).body.error_code).toBe('session_not_found')
    expect((await refresh(refreshToken)).error_code).toBe('refresh_token_not_found')
    const renewed = await refresh(verified.body.refresh_token)
    expect(claimsIn(renewed.access_token)).toMatchObject({
      sub: id,
      is_anonymous: false,
      email,
      amr: [{ method: 'otp' }],
    })
    expect(await storedOf(id)).toMatchObject({ is_anonymous: false, registered_by: null })
  })

  it('may enroll a second factor with the token of the confirmation, and not before', async () => {
    const { token } = await anonymous()
    const enroll = (as: string) => auth.post('/factors', { factor_type: 'totp' }, { token: as })
    const email = newEmail()
    const before = await enroll(token)
    await auth.put('/user', { email }, { token, ...ann })
    const { hash } = await auth.messageTo(email)
    const proved = await auth.post('/verify', { type: 'email_change', token_hash: hash }, ann)

    const stale = await enroll(token)
    const after = await enroll(proved.body.access_token)

    expect([before, stale].map(({ status, body }) => [status, body.error_code])).toEqual([
      [403, 'no_authorization'],
      [403, 'session_not_found'],
    ])
    expect(after.status).toBe(200)
  })

  it('gets it at once with autoconfirm, without a mail', async () => {
    const { id, token, refreshToken } = await anonymous(trusting)
    const email = newEmail()

    const { status, body } = await trusting.put(
      '/user',
      { email, password: testPassword },
      { token },
    )

    expect([status, body]).toMatchObject([
      200,
      {
        id,
        email,
        is_anonymous: false,
        email_confirmed_at: trusting.clock.now().toISOString(),
        identities: [{ provider: 'email' }],
        app_metadata: { provider: 'email', providers: ['email'] },
      },
    ])
    expect(body).not.toHaveProperty('new_email')
    expect(await trusting.messagesTo(email)).toEqual([])
    expect(await signsIn({ email }, trusting)).toBe(id)
    const renewed = await refresh(refreshToken, trusting)
    expect(claimsIn(renewed.access_token)).toMatchObject({ is_anonymous: false, email })
    expect(await storedOf(id, trusting)).toMatchObject({ registered_by: null })
  })

  it('confirms the next one by mail, like any user', async () => {
    const { token } = await anonymous(trusting)
    await trusting.put('/user', { email: newEmail() }, { token })
    const next = newEmail()

    const { body } = await trusting.put('/user', { email: next }, { token })

    expect(body).toMatchObject({ new_email: next, is_anonymous: false })
    expect(await trusting.messagesTo(next)).toHaveLength(1)
  })

  it.each(['auth', 'trusting'])('cannot take the address of another user (%s)', async (which) => {
    const on = which === 'auth' ? auth : trusting
    const { email } = await on.given.user(newEmail())
    const { id, token } = await anonymous(on)

    const { status, body } = await on.put('/user', { email }, { token })

    expect([status, body.error_code]).toEqual([422, 'email_exists'])
    expect(await storedOf(id, on)).toMatchObject({ is_anonymous: true, email: null })
  })

  it('that another one also requests gets it by confirming first', async () => {
    const email = newEmail()
    const [first, second] = [await anonymous(), await anonymous(auth, eve)]
    await auth.put('/user', { email }, { token: first.token, ...ann })
    await auth.put('/user', { email }, { token: second.token, ...eve })
    const [mine, other] = await auth.messagesTo(email)
    const verify = (hash: string | undefined, from: { ip: string }) =>
      auth.post('/verify', { type: 'email_change', token_hash: hash }, from)

    const answers = [await verify(mine?.hash, ann), await verify(other?.hash, eve)]

    expect(answers.map(({ status, body }) => [status, body.error_code])).toEqual([
      [200, undefined],
      [422, 'email_exists'],
    ])
    expect(await storedOf(first.id)).toMatchObject({ email, is_anonymous: false })
    expect(await storedOf(second.id)).toMatchObject({ email: null, is_anonymous: true })
  })

  it('gets the session of the same user by PKCE', async () => {
    const { id, token } = await anonymous()
    const email = newEmail()
    const code_challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
    await auth.put(
      '/user',
      { email, code_challenge, code_challenge_method: 's256' },
      { token, ...ann },
    )
    const { hash } = await auth.messageTo(email)
    const { headers } = await auth.request(
      'GET',
      `/verify?${new URLSearchParams({ token: hash, type: 'email_change' })}`,
      ann,
    )

    const { status, body } = await auth.post('/token?grant_type=pkce', {
      auth_code: new URL(headers.get('location') ?? '').searchParams.get('code'),
      code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
    })

    expect([status, body.user]).toMatchObject([200, { id, is_anonymous: false, email }])
  })
})

describe('an anonymous user who adds a phone', () => {
  it('stays anonymous until the code is verified', async () => {
    const { id, token, refreshToken } = await anonymous()
    const phone = newPhone()
    const requested = await auth.put('/user', { phone, password: testPassword }, { token, ...ann })
    const { code } = await auth.messageTo(phone)

    const verified = await auth.post('/verify', { type: 'phone_change', phone, token: code }, ann)

    expect(requested.body).toMatchObject({ id, is_anonymous: true, new_phone: phone, phone: '' })
    expect([verified.status, verified.body.user]).toMatchObject([
      200,
      { id, phone, is_anonymous: false, identities: [{ provider: 'phone' }] },
    ])
    expect(await signsIn({ phone })).toBe('invalid_credentials')
    expect((await refresh(refreshToken)).error_code).toBe('refresh_token_not_found')
    expect(claimsIn(verified.body.access_token)).toMatchObject({ is_anonymous: false, phone })
  })

  it('gets it at once with autoconfirm', async () => {
    const { id, token } = await anonymous(trusting)
    const phone = newPhone()

    const { body } = await trusting.put('/user', { phone, password: testPassword }, { token })

    expect(body).toMatchObject({ id, phone, is_anonymous: false })
    expect(await signsIn({ phone }, trusting)).toBe(id)
  })
})

describe('a password of an anonymous user', () => {
  it.each([
    ['alone', {}],
    ['with empty addresses', { email: '', phone: '' }],
    ['with metadata', { data: { x: 1 } }],
  ])('is rejected %s', async (_case, body) => {
    const { id, token } = await anonymous()

    const answer = await auth.put('/user', { ...body, password: testPassword }, { token })

    expect([answer.status, answer.body.error_code]).toEqual([422, 'validation_failed'])
    expect(await storedOf(id)).toMatchObject({ has_password: false, user_metadata: { cart: 7 } })
  })

  it('may be set once an address is confirmed, with the token of the confirmation', async () => {
    const { id, token } = await anonymous()
    const email = newEmail()
    await auth.put('/user', { email }, { token, ...ann })
    const { hash } = await auth.messageTo(email)
    const proved = await auth.post('/verify', { type: 'email_change', token_hash: hash }, ann)

    const { status } = await auth.put(
      '/user',
      { password: testPassword },
      { token: proved.body.access_token },
    )

    expect([status, await signsIn({ email })]).toEqual([200, id])
  })
})

describe('an operator who adds an address to an anonymous user', () => {
  const operator = async () => ({ token: await auth.given.serviceToken() })

  it.each([
    ['email', newEmail],
    ['phone', newPhone],
  ] as const)(
    'and confirms the %s makes them permanent, and keeps their credentials',
    async (kind, address) => {
      const { id, refreshToken } = await anonymous()

      const { status, body } = await auth.put(
        `/admin/users/${id}`,
        { [kind]: address(), [`${kind}_confirm`]: true },
        await operator(),
      )

      expect([status, body]).toMatchObject([
        200,
        { id, is_anonymous: false, user_metadata: { cart: 7 }, identities: [{ provider: kind }] },
      ])
      expect(claimsIn((await refresh(refreshToken)).access_token)).toMatchObject({
        is_anonymous: false,
      })
      expect(await storedOf(id)).toMatchObject({ registered_by: null })
    },
  )

  it('and does not confirm it keeps them anonymous', async () => {
    const { id } = await anonymous()

    const { body } = await auth.put(`/admin/users/${id}`, { email: newEmail() }, await operator())

    expect(body).toMatchObject({ is_anonymous: true })
  })

  it('or only metadata does not affect their upgrade', async () => {
    const { id, token } = await anonymous()
    await auth.auth.admin.updateUser(id, {
      appMetadata: { plan: 'gold' },
      userMetadata: { tag: 1 },
    })
    const email = newEmail()
    await auth.put('/user', { email }, { token, ...ann })
    const { hash } = await auth.messageTo(email)

    const { body } = await auth.post('/verify', { type: 'email_change', token_hash: hash }, ann)

    expect(body.user).toMatchObject({
      app_metadata: { plan: 'gold', provider: 'email' },
      user_metadata: { cart: 7, tag: 1 },
    })
  })
})
