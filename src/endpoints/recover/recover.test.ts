import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MessagingAuth, startMessagingAuth } from '../../../test/support/messages.ts'
import { type Answer, testPassword } from '../../../test/support/test-auth.ts'

let auth: MessagingAuth

beforeAll(async () => {
  auth = await startMessagingAuth()
})
afterAll(() => auth.close())

let made = 0
const newEmail = () => `recover-${++made}@example.test`
const statusAndCode = ({ status, body }: Answer) => [status, body.error_code, body.msg]

describe('POST /recover', () => {
  it('mails a link by which a user sets a new password', async () => {
    const { id, email } = await auth.given.user(newEmail())

    const answer = await auth.post('/recover', { email: email?.toUpperCase() })
    const message = await auth.messageTo(email ?? '')
    const { fragment } = await auth.follow(message)
    const token = fragment.get('access_token') ?? ''
    const changed = await auth.put('/user', { password: 'a brand new password' }, { token })

    expect([answer.status, answer.body, message.type]).toEqual([200, {}, 'recovery'])
    expect(changed.status).toBe(200)
    const [entry] = await auth.rows(
      'select traits from auth.audit_entries where actor_id = $1 and action = 11',
      [id],
    )
    expect(entry).toEqual({ traits: null })
  })

  it('includes users without a confirmation, and users without a password', async () => {
    const [unproved, without] = [newEmail(), newEmail()]
    await auth.post('/signup', { email: unproved, password: testPassword })
    await auth.auth.admin.createUser({ email: without, emailConfirm: true })

    await auth.post('/recover', { email: unproved })
    await auth.post('/recover', { email: without })

    expect((await auth.messageTo(unproved)).type).toBe('recovery')
    expect((await auth.messageTo(without)).type).toBe('recovery')
  })

  it('does nothing for an unknown address, with the same response', async () => {
    const email = newEmail()

    const answer = await auth.post('/recover', { email })

    expect([answer.status, answer.body]).toEqual([200, {}])
    expect(await auth.messagesTo(email)).toEqual([])
    expect(await auth.rows('select id from auth.users where email = $1', [email])).toEqual([])
  })

  it.each<[object, unknown[]]>([
    [{}, [400, 'validation_failed', 'email: Password recovery requires an email']],
    [{ email: '' }, [400, 'validation_failed', 'email: Password recovery requires an email']],
    [
      { email: 'no address' },
      [400, 'validation_failed', 'email: Unable to validate email address: invalid format'],
    ],
    [
      { email: 'a@b.test', code_challenge_method: 's256' },
      [
        400,
        'validation_failed',
        'code_challenge: PKCE flow requires code_challenge_method and code_challenge',
      ],
    ],
  ])('rejects %j', async (body, answer) => {
    expect(statusAndCode(await auth.post('/recover', body))).toEqual(answer)
  })

  it('is disabled with sign-in by email', async () => {
    const strict = await startMessagingAuth({ email: { enabled: false } })

    const answer = await strict.post('/recover', { email: newEmail() })
    await strict.close()

    expect(statusAndCode(answer)).toEqual([
      400,
      'email_provider_disabled',
      'Email logins are disabled',
    ])
  })
})
