import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MessagingAuth, startMessagingAuth } from '../../../test/support/messages.ts'

// Rule 2, T10, T11, T14: proving an unconfirmed address removes credentials that existed before.

let auth: MessagingAuth

beforeAll(async () => {
  auth = await startMessagingAuth()
})
afterAll(() => auth.close())

let made = 0
const newEmail = () => `victim-${++made}@example.test`
const newPhone = () => `49154${String(++made).padStart(8, '0')}`

const evePassword = 'the password of Eve'

/**
 * Signs up with another person's address, as an attacker who sets up as many credentials as
 * possible.
 */
async function preHijacked(address: { email: string } | { phone: string }) {
  await auth.post('/signup', { ...address, password: evePassword })
  const [key, value] = Object.entries(address)[0] ?? []
  const [user] = await auth.rows<{ id: string }>(`select id from auth.users where ${key} = $1`, [
    value,
  ])
  const id = user?.id ?? ''
  await auth.rows(
    `insert into auth.identities (id, user_id, provider, subject, identity_data, created_at, updated_at)
     values (gen_random_uuid(), $1, 'github', $2, '{"email":"eve@example.test"}', now(), now())`,
    [id, `eve-${id}`],
  )
  await auth.rows(
    `insert into auth.sessions (id, user_id, aal, amr, refresh_token_counter, created_at)
     values (gen_random_uuid(), $1, 'aal1', '[]', 0, now())`,
    [id],
  )
  await auth.rows(
    `insert into auth.factors (id, user_id, factor_type, status, created_at, updated_at)
     values (gen_random_uuid(), $1, 'totp', 'verified', now(), now())`,
    [id],
  )
  return id
}

async function leftOf(userId: string) {
  const [user] = await auth.rows<{ password: boolean; app_metadata: { providers: string[] } }>(
    `select password_hash is not null as password, app_metadata from auth.users where id = $1`,
    [userId],
  )
  const identities = await auth.rows<{ provider: string }>(
    'select provider from auth.identities where user_id = $1 order by provider',
    [userId],
  )
  const sessions = await auth.rows('select id from auth.sessions where user_id = $1', [userId])
  const factors = await auth.rows('select id from auth.factors where user_id = $1', [userId])
  return {
    password: user?.password,
    identities: identities.map(({ provider }) => provider),
    providers: user?.app_metadata.providers,
    sessions: sessions.length,
    factors: factors.length,
  }
}

const cleaned = (kind: string) => ({
  password: false,
  identities: [kind],
  providers: [kind],
  factors: 0,
  // The session of the victim's present sign-in.
  sessions: 1,
})
const kept = { password: true, sessions: 2 }

const service = async () => ({ token: await auth.given.serviceToken() })

describe('T10: credentials that an attacker set up with an address are removed once its owner proves it', () => {
  it.each([
    ['by POST /otp', 'signup', (email: string) => auth.post('/otp', { email })],
    ['by POST /magiclink', 'signup', (email: string) => auth.post('/magiclink', { email })],
    ['by POST /recover', 'recovery', (email: string) => auth.post('/recover', { email })],
    [
      'by POST /invite (T14)',
      'invite',
      async (email: string) => auth.post('/invite', { email }, await service()),
    ],
    [
      'by an invitation that an operator made',
      'invite',
      async (email: string) =>
        auth.post(
          '/admin/generate_link',
          { type: 'invite', email, send_email: true },
          await service(),
        ),
    ],
    [
      'by a magic link that an operator made',
      'magiclink',
      async (email: string) =>
        auth.post(
          '/admin/generate_link',
          { type: 'magiclink', email, send_email: true },
          await service(),
        ),
    ],
  ])('%s', async (_case, type, ask) => {
    const byCode = newEmail()
    const byLink = newEmail()
    const ids = [await preHijacked({ email: byCode }), await preHijacked({ email: byLink })]
    await ask(byCode)
    await ask(byLink)
    const { code } = await auth.messageTo(byCode)

    const verified = await auth.post('/verify', { type, token: code, email: byCode })
    const followed = await auth.follow(await auth.messageTo(byLink))

    expect([verified.status, followed.fragment.get('error_code')]).toEqual([200, null])
    expect(await Promise.all(ids.map(leftOf))).toEqual([cleaned('email'), cleaned('email')])
    const eve = await auth.post('/token?grant_type=password', {
      email: byCode,
      password: evePassword,
    })
    expect(eve.body.error_code).toBe('invalid_credentials')
  })

  it('by a code to a phone', async () => {
    const phone = newPhone()
    const id = await preHijacked({ phone })
    await auth.post('/otp', { phone })
    const { code } = await auth.messageTo(phone)

    const { status } = await auth.post('/verify', { type: 'sms', token: code, phone })

    expect([status, await leftOf(id)]).toEqual([200, cleaned('phone')])
  })

  it('and the response shows the remaining data', async () => {
    const email = newEmail()
    await preHijacked({ email })
    await auth.post('/otp', { email })
    const { code } = await auth.messageTo(email)

    const { body } = await auth.post('/verify', { type: 'email', token: code, email })

    expect(body.user.app_metadata).toEqual({ provider: 'email', providers: ['email'] })
    expect(body.user).not.toHaveProperty('factors')
    expect(body.user.identities.map(({ provider }: { provider: string }) => provider)).toEqual([
      'email',
    ])
  })

  it('and changes that the attacker requested, which cannot be revived', async () => {
    const [email, eves] = [newEmail(), newEmail()]
    const id = await preHijacked({ email })
    await auth.rows(
      'update auth.users set new_email = $2, email_change_sent_at = now() where id = $1',
      [id, eves],
    )
    await auth.post('/recover', { email })
    await auth.follow(await auth.messageTo(email))

    await auth.post('/resend', { type: 'email_change', email })

    expect(await auth.messagesTo(eves)).toEqual([])
  })
})

describe('the data of the proving user stays', () => {
  it.each([
    ['the confirmation of the sign-up itself', async () => {}],
    [
      'its confirmation, sent again',
      (email: string) => auth.post('/resend', { type: 'signup', email }),
    ],
    [
      'the confirmation that an operator made',
      async (email: string) =>
        auth.post(
          '/admin/generate_link',
          { type: 'signup', email, send_email: true },
          await service(),
        ),
    ],
  ])('at %s', async (_case, ask: (email: string) => Promise<unknown>) => {
    const email = newEmail()
    const id = await preHijacked({ email })
    await ask(email)
    const { code } = await auth.messageTo(email)

    const { status } = await auth.post('/verify', { type: 'signup', token: code, email })

    expect(status).toBe(200)
    expect(await leftOf(id)).toMatchObject({ ...kept, factors: 1, identities: ['email', 'github'] })
  })

  it.each([
    ['the SMS of the sign-up itself', async () => {}],
    ['its SMS, sent again', (phone: string) => auth.post('/resend', { type: 'sms', phone })],
  ])('at %s', async (_case, ask: (phone: string) => Promise<unknown>) => {
    const phone = newPhone()
    const id = await preHijacked({ phone })
    await ask(phone)
    const { code } = await auth.messageTo(phone)

    await auth.post('/verify', { type: 'sms', token: code, phone })

    expect(await leftOf(id)).toMatchObject({ ...kept, factors: 1, identities: ['github', 'phone'] })
  })

  it('where the address was confirmed before', async () => {
    const { user } = await auth.given.session(newEmail())
    await auth.post('/recover', { email: user.email })

    await auth.follow(await auth.messageTo(user.email ?? ''))

    expect(await leftOf(user.id)).toMatchObject(kept)
  })

  it('where the link was for another sign-up, without that password', async () => {
    const email = newEmail()
    await auth.post('/signup', { email, password: evePassword })
    const eves = await auth.messageTo(email)
    await auth.post('/signup', { email, password: 'the password of Ada' })

    const { fragment } = await auth.follow(eves)

    expect(fragment.get('error_code')).toBe('otp_expired')
  })
})

describe('a change of address', () => {
  it('keeps all in a session that rests on another confirmed address', async () => {
    const { user, accessToken: token } = await auth.given.session(newEmail())
    const phone = newPhone()
    await auth.put('/user', { phone }, { token })
    const { code } = await auth.messageTo(phone)

    await auth.post('/verify', { type: 'phone_change', token: code, phone })

    expect(await leftOf(user.id)).toMatchObject({ ...kept, identities: ['email', 'phone'] })
  })

  it('keeps nothing in a session that rests on none', async () => {
    const { user, accessToken: token } = await auth.given.session(newEmail())
    await auth.rows('update auth.users set email_confirmed_at = null where id = $1', [user.id])
    const phone = newPhone()
    await auth.put('/user', { phone }, { token })
    const { code } = await auth.messageTo(phone)

    await auth.post('/verify', { type: 'phone_change', token: code, phone })

    expect(await leftOf(user.id)).toEqual(cleaned('phone'))
  })
})
