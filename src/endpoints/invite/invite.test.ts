import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MessagingAuth, startMessagingAuth } from '../../../test/support/messages.ts'
import { testPassword } from '../../../test/support/test-auth.ts'

let auth: MessagingAuth
let token: string

beforeAll(async () => {
  auth = await startMessagingAuth({ signUp: { disabled: true } })
  token = await auth.given.serviceToken('svc_admin')
})
afterAll(() => auth.close())

let made = 0
const newEmail = () => `invited-${++made}@example.test`
const invite = (body: object, bearer: string | undefined = token) =>
  auth.post('/invite', body, { token: bearer })

describe('POST /invite', () => {
  it('creates a user and mails them, also where sign-ups are disabled', async () => {
    const email = newEmail()
    const now = auth.clock.now().toISOString()

    const { status, body } = await invite({ email, data: { name: 'Ada' } })

    expect(status).toBe(200)
    expect(body).toMatchObject({ email, invited_at: now, confirmation_sent_at: now })
    expect(body.user_metadata).toEqual({ name: 'Ada' })
    expect(body.identities[0].identity_data).toEqual({
      sub: body.id,
      email,
      email_verified: false,
      phone_verified: false,
    })
    expect(await auth.messageTo(email)).toMatchObject({ type: 'invite', to: email })
    const [entry] = await auth.rows(
      'select actor_role, user_id from auth.audit_entries where action = 10 and user_id = $1',
      [body.id],
    )
    expect(entry).toEqual({ actor_role: 'svc_admin', user_id: body.id })
  })

  it('mails again to a user who has not accepted; the first invitation is revoked', async () => {
    const email = newEmail()
    const { body: first } = await invite({ email, data: { name: 'Ada' } })
    const firstMail = await auth.messageTo(email)
    auth.clock.advance(60)

    const { status, body } = await invite({ email, data: { name: 'Eve' } })

    const links = [await auth.follow(firstMail), await auth.follow(await auth.messageTo(email))]
    expect([status, body.id, body.user_metadata.name]).toEqual([200, first.id, 'Ada'])
    expect(body.invited_at).toBe(auth.clock.now().toISOString())
    expect(links.map(({ fragment }) => fragment.get('type'))).toEqual([null, 'invite'])
  })

  it('rejects the address of a confirmed user', async () => {
    const { email } = await auth.given.user(newEmail())

    const { status, body } = await invite({ email })

    expect([status, body.error_code]).toEqual([422, 'email_exists'])
    expect(await auth.messagesTo(email ?? '')).toEqual([])
  })

  it('T14: is valid only while the account has the address that it was sent to', async () => {
    const email = newEmail()
    const { body } = await invite({ email: email.toUpperCase() })
    const message = await auth.messageTo(email)
    await auth.rows('update auth.users set email = $2 where id = $1', [body.id, newEmail()])

    const { fragment } = await auth.follow(message)

    expect(fragment.get('error_code')).toBe('otp_expired')
  })

  it('accepts a first password with its code', async () => {
    const email = newEmail()
    await invite({ email })
    const { code } = await auth.messageTo(email)

    await auth.post('/verify', { type: 'invite', token: code, email, password: testPassword })

    const signedIn = await auth.post('/token?grant_type=password', {
      email,
      password: testPassword,
    })
    expect(signedIn.status).toBe(200)
  })

  it.each([
    ['nobody', () => Promise.resolve(undefined), 401, 'no_authorization'],
    [
      'a user',
      async () => (await auth.given.session(newEmail())).accessToken,
      ...([403, 'not_admin'] as const),
    ],
  ])('is rejected for %s', async (_case, bearer, status, code) => {
    const answer = await auth.post('/invite', { email: newEmail() }, { token: await bearer() })

    expect([answer.status, answer.body.error_code]).toEqual([status, code])
  })
})
