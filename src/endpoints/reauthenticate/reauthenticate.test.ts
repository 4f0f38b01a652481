import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MessagingAuth, startMessagingAuth } from '../../../test/support/messages.ts'
import { type Answer, testPassword } from '../../../test/support/test-auth.ts'

let auth: MessagingAuth

beforeAll(async () => {
  auth = await startMessagingAuth({
    security: { passwordUpdate: { requireReauthentication: true } },
  })
})
afterAll(() => auth.close())

let made = 0
const newEmail = () => `nonce-${++made}@example.test`
const newPhone = () => `49157${String(++made).padStart(8, '0')}`
const statusAndCode = ({ status, body }: Answer) => [status, body.error_code]

const signedIn = async () => {
  const { user, accessToken: token } = await auth.given.session(newEmail())
  const ask = () => auth.get('/reauthenticate', { token })
  const change = (nonce: string, password = 'a brand new password') =>
    auth.put('/user', { password, nonce }, { token })
  const nonce = async () => {
    await ask()
    return (await auth.messageTo(user.email ?? '')).code
  }
  return { user, token, ask, change, nonce }
}

describe('GET /reauthenticate', () => {
  it('mails a nonce, without a link', async () => {
    const { user, ask } = await signedIn()

    const { status, body } = await ask()

    const message = await auth.messageTo(user.email ?? '')
    const [stored] = await auth.rows('select kind from auth.outbox_messages where id = $1', [
      body.message_id,
    ])
    expect([status, stored]).toEqual([200, { kind: 'reauthentication' }])
    expect(message).toMatchObject({ type: 'reauthentication', hash: '' })
    const { reauthenticationSentAt } = await auth.auth.admin.getUser(user.id)
    expect(reauthenticationSentAt).toEqual(auth.clock.now())
    const entries = await auth.rows(
      'select id from auth.audit_entries where actor_id = $1 and action = 12',
      [user.id],
    )
    expect(entries).toHaveLength(1)
  })

  it('texts one to a user without an email', async () => {
    const phone = newPhone()
    await auth.auth.admin.createUser({ phone, phoneConfirm: true, password: testPassword })
    const { session } = await auth.auth.api.signInWithPassword({ phone, password: testPassword })
    const { accessToken: token } = session

    await auth.get('/reauthenticate', { token })
    const { code: nonce } = await auth.messageTo(phone)
    const changed = await auth.put('/user', { password: 'a brand new password', nonce }, { token })

    expect(changed.status).toBe(200)
  })

  it.each([
    ['email_not_confirmed', 'email_confirmed_at = null'],
    ['phone_not_confirmed', `email = null, phone = '4915700000000'`],
    ['validation_failed', 'email = null'],
  ])('is rejected with %s where %s', async (code, column) => {
    const { user, ask } = await signedIn()
    await auth.rows(`update auth.users set ${column} where id = $1`, [user.id])

    expect(statusAndCode(await ask())).toEqual([code === 'validation_failed' ? 400 : 422, code])
  })

  it.each([true, false])(
    'is rejected for an address of this day where the nonce permits a new password: %s',
    async (requireReauthentication) => {
      const other = await auth.beside({ security: { passwordUpdate: { requireReauthentication } } })
      const { user, token } = await signedIn()
      await auth.rows('update auth.users set email_changed_at = $2 where id = $1', [
        user.id,
        auth.clock.now().toISOString(),
      ])
      const answer = await other.request('GET', '/reauthenticate', { token })
      await other.close()

      const rejected = [422, 'address_too_new']
      expect(statusAndCode(answer)).toEqual(requireReauthentication ? rejected : [200, undefined])
    },
  )

  it('requires a session', async () => {
    expect(statusAndCode(await auth.get('/reauthenticate'))).toEqual([401, 'no_authorization'])
  })
})

describe('a nonce', () => {
  it('is valid for one change of password', async () => {
    const { change, nonce } = await signedIn()
    const code = await nonce()

    const answers = [await change(code), await change(code, 'another new password')]

    expect(answers.map(statusAndCode)).toEqual([
      [200, undefined],
      [422, 'reauthentication_not_valid'],
    ])
  })

  it('is accepted after any other codes were entered', async () => {
    const { user, change, nonce } = await signedIn()
    await auth.post('/otp', { email: user.email })
    const { code: token } = await auth.messageTo(user.email ?? '')
    const verified = await auth.post('/verify', { type: 'email', token, email: user.email })

    const answer = await change(await nonce())

    expect([verified.status, answer.status]).toEqual([200, 200])
  })

  it('is not consumed by a rejected change', async () => {
    const { change, nonce } = await signedIn()
    const code = await nonce()

    const answers = [await change(code, testPassword), await change(code)]

    expect(answers.map(statusAndCode)).toEqual([
      [422, 'same_password'],
      [200, undefined],
    ])
  })

  it('is revoked by five wrong ones, with the response to a wrong one', async () => {
    const { change, nonce } = await signedIn()
    const code = await nonce()
    const wrong = String((Number(code) + 1) % 1_000_000).padStart(6, '0')
    const answers: Answer[] = []
    for (let attempt = 0; attempt < 5; attempt++) answers.push(await change(wrong))

    answers.push(await change(code))

    const texts = answers.map(({ status, body }) => [status, body.error_code, body.msg])
    expect(new Set(texts.map(String)).size).toBe(1)
    expect(texts[5]).toEqual([422, 'reauthentication_not_valid', 'Nonce has expired or is invalid'])
  })

  it('of another user is rejected', async () => {
    const [one, other] = [await signedIn(), await signedIn()]
    const code = await one.nonce()
    await other.nonce()

    expect(statusAndCode(await other.change(code))[0]).toBe(422)
    expect(statusAndCode(await one.change(code))[0]).toBe(200)
  })

  it('expires like other codes', async () => {
    const { change, nonce } = await signedIn()
    const code = await nonce()
    await auth.rows(
      `update auth.one_time_tokens set expires_at = $1 where purpose = 'reauthentication'`,
      [auth.clock.now()],
    )

    expect(statusAndCode(await change(code))).toEqual([422, 'reauthentication_not_valid'])
  })
})
