import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestAuth, type TestAuth, testPassword } from '../../../test/support/test-auth.ts'

let auth: TestAuth

beforeAll(async () => {
  auth = await startTestAuth()
})
afterAll(() => auth.close())

const signUp = (body: object, on = auth) => on.post('/signup', { password: testPassword, ...body })

describe('checks, in the order in which the wire promises them', () => {
  const both = { email: 'no address', phone: 'no number', password: '' }

  it.each([
    ['sign-up is disabled', { signUp: { disabled: true } }, both, [422, 'signup_disabled']],
    ['no password', {}, both, [400, 'validation_failed', /password/]],
    ['a weak password', {}, { ...both, password: 'abc' }, [422, 'weak_password']],
    [
      'both addresses',
      {},
      { ...both, password: 'long enough' },
      [
        400,
        'validation_failed',
        /^Only an email address or phone number should be provided on signup/,
      ],
    ],
    [
      'an unknown channel',
      {},
      { phone: 'no number', channel: 'pigeon', code_challenge: 'x' },
      [400, 'validation_failed', /channel/],
    ],
    [
      'WhatsApp without Twilio',
      {},
      { phone: 'no number', channel: 'whatsapp' },
      [400, 'validation_failed', /channel/],
    ],
    [
      'PKCE by phone',
      { phone: { enabled: false } },
      { phone: 'no number', code_challenge: 'x' },
      [400, 'validation_failed', /PKCE not supported/],
    ],
    [
      'phones are disabled',
      { phone: { enabled: false } },
      { phone: 'no number' },
      [400, 'phone_provider_disabled'],
    ],
    [
      'a malformed code challenge',
      { email: { enabled: false } },
      { email: 'no address', code_challenge: 'x', code_challenge_method: 's256' },
      [400, 'validation_failed', /code_challenge/],
    ],
    [
      'emails are disabled',
      { email: { enabled: false } },
      { email: 'no address' },
      [400, 'email_provider_disabled'],
    ],
    ['a malformed email', {}, { email: 'no address' }, [400, 'validation_failed', /^email: /]],
    [
      'a malformed phone',
      {},
      { phone: 'no number' },
      [400, 'validation_failed', /^Invalid phone number format \(E\.164 required\)$/],
    ],
    ['nobody', {}, {}, [422, 'anonymous_provider_disabled']],
    [
      'nobody where sign-up is disabled',
      { signUp: { disabled: true }, anonymousUsers: { enabled: true } },
      {},
      [422, 'signup_disabled'],
    ],
  ] as const)('%s', async (_case, config, body, [status, code, message = /./]) => {
    const strict = await startTestAuth(config)

    const answer = await signUp(body, strict)
    const users = await strict.rows('select id from auth.users')
    await strict.close()

    expect([answer.status, answer.body.error_code]).toEqual([status, code])
    expect(answer.body.msg).toMatch(message)
    expect(users).toEqual([])
  })

  it.each([
    ['a challenge without a method', { code_challenge: 'c'.repeat(43) }],
    ['a method without a challenge', { code_challenge_method: 's256' }],
    [
      'a challenge that is too short',
      { code_challenge: 'c'.repeat(42), code_challenge_method: 's256' },
    ],
    ['one that is too long', { code_challenge: 'c'.repeat(129), code_challenge_method: 's256' }],
    [
      'one of other letters',
      { code_challenge: `${'c'.repeat(43)}+`, code_challenge_method: 's256' },
    ],
    ['an unknown method', { code_challenge: 'c'.repeat(43), code_challenge_method: 's512' }],
  ])('%s', async (_case, pkce) => {
    const answer = await signUp({ email: 'pkce@example.test', ...pkce })

    expect([answer.status, answer.body.error_code]).toEqual([400, 'validation_failed'])
    expect(answer.body.msg).toMatch(/^code_challenge/)
  })
})
