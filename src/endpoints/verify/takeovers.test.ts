import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MessagingAuth, startMessagingAuth } from '../../../test/support/messages.ts'
import { givenPasskey } from '../../../test/support/passkeys.ts'

// Attacks on an unconfirmed address, and on an account by an unconfirmed address.
// `test/model/registrations.test.ts` plays every order of such requests.

let auth: MessagingAuth

beforeAll(async () => {
  auth = await startMessagingAuth({ anonymousUsers: { enabled: true } })
})
afterAll(() => auth.close())

let made = 0
const newEmail = () => `ada-${++made}@example.test`
const newPhone = () => `49158${String(++made).padStart(8, '0')}`

const ada = { ip: '203.0.113.10' }
const eve = { ip: '198.51.100.66' }
const [adaPassword, evePassword] = ['the password of Ada', 'the password of Eve']

const signsIn = async (address: object, password: string) => {
  const { body } = await auth.post('/token?grant_type=password', { ...address, password })
  return body.error_code ?? 'in'
}
const operator = async () => ({ token: await auth.given.serviceToken() })

describe('H01: an invitation', () => {
  const invited = async () => {
    const email = newEmail()
    const { body } = await auth.post('/invite', { email, data: { team: 'red' } }, await operator())
    await auth.auth.admin.updateUser(body.id, { role: 'staff', appMetadata: { plan: 'gold' } })
    const invitation = await auth.messageTo(email)
    await auth.post('/signup', { email, password: evePassword, data: { name: 'Eve' } }, eve)
    return { email, id: body.id, invitation, newest: await auth.messageTo(email) }
  }

  it.each(['invitation', 'newest'] as const)(
    'leaves an attacker no access by the %s link',
    async (link) => {
      const one = await invited()

      const { fragment } = await auth.follow(one[link])

      const user = await auth.auth.admin.getUser(one.id)
      expect(fragment.has('access_token')).toBe(true)
      expect(await signsIn({ email: one.email }, evePassword)).toBe('invalid_credentials')
      expect(user).toMatchObject({ role: 'staff', appMetadata: { plan: 'gold' } })
      expect(user.userMetadata).toMatchObject({ team: 'red' })
      expect(user.userMetadata).not.toHaveProperty('name')
    },
  )
})

describe('H01: a sign-up that an application passes on to generate_link', () => {
  it('adds nothing to an invited user, and revokes no invitation', async () => {
    const email = newEmail()
    const { body: user } = await auth.post('/invite', { email }, await operator())
    const invitation = await auth.messageTo(email)
    await auth.post(
      '/admin/generate_link',
      { type: 'signup', email, password: evePassword, data: { name: 'Eve' } },
      await operator(),
    )

    const { fragment } = await auth.follow(invitation)

    expect(fragment.has('access_token')).toBe(true)
    expect(await signsIn({ email }, evePassword)).toBe('invalid_credentials')
    expect((await auth.auth.admin.getUser(user.id)).userMetadata).not.toHaveProperty('name')
  })
})

describe('H01: a passkey of an attacker who signed up with an address first', () => {
  it('is removed with their password once the owner confirms the address', async () => {
    const email = newEmail()
    await auth.post('/signup', { email, password: evePassword }, eve)
    const [user] = await auth.rows<{ id: string }>('select id from auth.users where email = $1', [
      email,
    ])
    await givenPasskey(auth, user?.id ?? '')
    await auth.post('/otp', { email }, ada)

    const { fragment } = await auth.follow(await auth.messageTo(email))

    expect(fragment.has('access_token')).toBe(true)
    expect(await auth.auth.admin.listPasskeys(user?.id ?? '')).toEqual([])
  })
})

describe('H02: a sign-up that competes with another request', () => {
  it.each([
    ['signs up', (email: string) => auth.post('/signup', { email, password: adaPassword }, ada)],
    ['requests a code', (email: string) => auth.post('/otp', { email }, ada)],
  ])('keeps no password where the owner %s', async (_case, ask) => {
    for (const evidence of ['link', 'code', 'oldest link'] as const) {
      const email = newEmail()
      await ask(email)
      const oldest = await auth.messageTo(email)
      await auth.post('/signup', { email, password: evePassword, data: { name: 'Eve' } }, eve)
      const newest = await auth.messageTo(email)

      const proved =
        evidence === 'code'
          ? await auth.post('/verify', { type: 'email', email, token: newest.code }, ada)
          : (await auth.follow(evidence === 'link' ? newest : oldest)).answer

      expect(proved.text + proved.headers.get('location')).toContain('access_token')
      expect(await signsIn({ email }, evePassword)).toBe('invalid_credentials')
      expect(await signsIn({ email }, adaPassword)).toBe('invalid_credentials')
      const [user] = await auth.rows<{ user_metadata: object }>(
        'select user_metadata from auth.users where email = $1',
        [email],
      )
      expect(user?.user_metadata).not.toHaveProperty('name')
    }
  })

  it('keeps the password where both submitted the same', async () => {
    const email = newEmail()
    await auth.post('/signup', { email, password: adaPassword }, ada)
    await auth.post('/signup', { email, password: adaPassword }, { ip: '203.0.113.99' })

    await auth.follow(await auth.messageTo(email))

    expect(await signsIn({ email }, adaPassword)).toBe('in')
  })

  it('treats a client that cannot be identified as another one', async () => {
    const email = newEmail()
    const unknown = { ip: '127.0.0.1' }
    await auth.post('/signup', { email, password: adaPassword }, unknown)
    const oldest = await auth.messageTo(email)
    await auth.post('/signup', { email, password: evePassword }, unknown)

    const { fragment } = await auth.follow(oldest)

    expect(fragment.has('access_token')).toBe(true)
    expect(await signsIn({ email }, evePassword)).toBe('invalid_credentials')
    expect(await signsIn({ email }, adaPassword)).toBe('invalid_credentials')
  })
})

describe('H02: an anonymous user who requests an address', () => {
  const anonymous = async () => {
    const { body } = await auth.post('/signup', { data: { name: 'Eve' } }, eve)
    return {
      id: String(body.user.id),
      token: String(body.access_token),
      refreshToken: String(body.refresh_token),
    }
  }

  it('loses password and session when another user proves it', async () => {
    const { id, token } = await anonymous()
    const email = newEmail()
    await auth.post('/signup', { email, password: adaPassword }, ada)
    await auth.put('/user', { email, password: evePassword }, { token, ...eve })
    const { hash } = await auth.messageTo(email)

    const { status, body } = await auth.post(
      '/verify',
      { type: 'email_change', token_hash: hash },
      ada,
    )

    expect([status, body.user.id]).toEqual([200, id])
    expect((await auth.get('/user', { token })).body.error_code).toBe('session_not_found')
    expect(await signsIn({ email }, evePassword)).toBe('invalid_credentials')
  })

  it.each([
    ['opens the link in another network', () => ada],
    ['cannot be identified', () => ({ ip: '127.0.0.1' })],
  ])(
    'keeps no credential or metadata when the address is confirmed by a client that %s',
    async (_case, from) => {
      const { id, token, refreshToken } = await anonymous()
      const email = newEmail()
      await auth.put('/user', { data: { note: 'of Eve' } }, { token, ...eve })
      await auth.put('/user', { email, password: evePassword }, { token, ...eve })
      const { hash } = await auth.messageTo(email)

      await auth.request('GET', `/verify?token=${hash}&type=email_change`, from())

      const user = await auth.auth.admin.getUser(id)
      const renewed = await auth.post('/token?grant_type=refresh_token', {
        refresh_token: refreshToken,
      })
      expect(user).toMatchObject({ email, isAnonymous: false, factors: [] })
      expect(user.userMetadata).toEqual({ email_verified: true })
      expect(renewed.body.error_code).toBe('refresh_token_not_found')
      expect(await signsIn({ email }, evePassword)).toBe('invalid_credentials')
    },
  )

  it('does not get the address when its owner signs in by a code', async () => {
    const { id, token } = await anonymous()
    const email = newEmail()
    await auth.put('/user', { email, password: evePassword }, { token, ...eve })
    await auth.post('/otp', { email }, ada)
    const { code } = await auth.messageTo(email)

    const { body } = await auth.post('/verify', { type: 'email', email, token: code }, ada)

    expect(body.user).toMatchObject({ email })
    expect(body.user.id).not.toBe(id)
    expect(await signsIn({ email }, evePassword)).toBe('invalid_credentials')
    expect((await auth.get('/user', { token })).body).toMatchObject({ is_anonymous: true })
  })

  it('keeps no password from a former address when another user confirms the next one', async () => {
    const { token } = await anonymous()
    await auth.put('/user', { email: newEmail(), password: evePassword }, { token, ...eve })
    const email = newEmail()
    await auth.put('/user', { email }, { token, ...eve })

    await auth.post(
      '/verify',
      { type: 'email_change', token_hash: (await auth.messageTo(email)).hash },
      ada,
    )

    expect(await signsIn({ email }, evePassword)).toBe('invalid_credentials')
    expect((await auth.get('/user', { token })).body.error_code).toBe('session_not_found')
  })

  it('cannot complete it by the link of an address requested before', async () => {
    const { id, token } = await anonymous()
    const [own, victims] = [newEmail(), newEmail()]
    await auth.put('/user', { email: own }, { token, ...eve })
    const { hash } = await auth.messageTo(own)
    await auth.put('/user', { email: victims }, { token, ...eve })

    const { status } = await auth.post('/verify', { type: 'email_change', token_hash: hash }, eve)

    const { email, isAnonymous } = await auth.auth.admin.getUser(id)
    expect([status, email, isAnonymous]).toEqual([403, null, true])
  })

  it('keeps no credential from an address that an operator stored, once its owner confirms it', async () => {
    const { id, token } = await anonymous()
    const email = newEmail()
    await auth.auth.admin.updateUser(id, { email, userMetadata: { team: 'red' } })
    await auth.post('/otp', { email }, ada)
    const { code } = await auth.messageTo(email)

    const { body } = await auth.post('/verify', { type: 'email', email, token: code }, ada)

    expect(body.user).toMatchObject({ id, is_anonymous: false, user_metadata: { team: 'red' } })
    expect(body.user.user_metadata).not.toHaveProperty('name')
    expect((await auth.get('/user', { token })).body.error_code).toBe('session_not_found')
  })

  it('keeps no password or session from before when the same user confirms it (S05)', async () => {
    const { token } = await anonymous()
    const email = newEmail()
    await auth.put('/user', { email, password: evePassword }, { token, ...eve })
    const { hash } = await auth.messageTo(email)

    const { status } = await auth.post('/verify', { type: 'email_change', token_hash: hash }, eve)

    expect([status, await signsIn({ email }, evePassword)]).toEqual([200, 'invalid_credentials'])
    expect((await auth.get('/user', { token })).body.error_code).toBe('session_not_found')
  })
})

describe('H03: a message that is requested again', () => {
  it.each([
    ['email', newEmail, 'signup', 'email'],
    ['phone', newPhone, 'sms', 'sms'],
  ])('by %s is no sign-up where a code was requested', async (kind, newAddress, again, type) => {
    for (const from of [eve, ada]) {
      const address = { [kind]: newAddress() }
      await auth.post('/signup', { ...address, password: evePassword }, eve)
      await auth.post('/otp', address, ada)
      await auth.post('/resend', { type: again, ...address }, from)
      const { code } = await auth.messageTo(Object.values(address)[0] ?? '')

      const { status } = await auth.post('/verify', { type, token: code, ...address }, ada)

      expect([status, await signsIn(address, evePassword)]).toEqual([200, 'invalid_credentials'])
    }
  })

  it('of one network is none either', async () => {
    const email = newEmail()
    await auth.post('/signup', { email, password: evePassword }, ada)
    await auth.post('/otp', { email }, ada)
    await auth.post('/resend', { type: 'signup', email }, ada)

    await auth.follow(await auth.messageTo(email))

    expect(await signsIn({ email }, evePassword)).toBe('invalid_credentials')
  })
})

describe('H04: an unconfirmed second address', () => {
  const withSecond = async () => {
    const { user, accessToken } = await auth.given.session(newEmail())
    const phone = newPhone()
    await auth.auth.admin.updateUser(user.id, { phone })
    return { user, phone, token: accessToken }
  }

  it.each(['otp', 'resend', 'signup'])(
    'opens no account by /%s, and changes nothing',
    async (route) => {
      const { user, phone, token } = await withSecond()
      const before = await auth.rows('select * from auth.users where id = $1', [user.id])
      const body = { type: 'sms', phone, password: evePassword }

      const { status } = await auth.post(`/${route}`, body, eve)

      expect([status, await auth.messagesTo(phone)]).toEqual([200, []])
      expect(await auth.rows('select * from auth.users where id = $1', [user.id])).toEqual(before)
      expect((await auth.get('/user', { token })).status).toBe(200)
    },
  )

  it('is confirmed in a session of its account', async () => {
    const { user, phone, token } = await withSecond()
    await auth.put('/user', { phone }, { token })
    const { code } = await auth.messageTo(phone)

    const { status } = await auth.post('/verify', { type: 'phone_change', phone, token: code }, ada)

    const { emailConfirmedAt, phoneConfirmedAt } = await auth.auth.admin.getUser(user.id)
    expect([status, emailConfirmedAt !== null, phoneConfirmedAt !== null]).toEqual([
      200,
      true,
      true,
    ])
  })

  it('opens nothing by a code that was sent while the other one was unconfirmed too', async () => {
    const [email, phone] = [newEmail(), newPhone()]
    const { id } = await auth.auth.admin.createUser({ email, phone, password: adaPassword })
    await auth.post('/otp', { phone }, eve)
    const { code } = await auth.messageTo(phone)
    await auth.auth.admin.updateUser(id, { emailConfirm: true })

    const { status } = await auth.post('/verify', { type: 'sms', phone, token: code }, eve)

    expect([status, await signsIn({ email }, adaPassword)]).toEqual([403, 'in'])
  })
})

describe('H04: a wrong, unconfirmed email', () => {
  it('cannot confirm a change of email, and gets no access by it', async () => {
    const [wrong, right, phone] = [newEmail(), newEmail(), newPhone()]
    const { id } = await auth.auth.admin.createUser({
      email: wrong,
      phone,
      phoneConfirm: true,
      password: adaPassword,
    })
    const { body } = await auth.post('/token?grant_type=password', { phone, password: adaPassword })
    await auth.put('/user', { email: right }, { token: body.access_token })

    expect(await auth.messagesTo(wrong)).toEqual([])
    await auth.follow(await auth.messageTo(right))
    expect((await auth.auth.admin.getUser(id)).email).toBe(right)
  })
})
