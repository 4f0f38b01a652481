import { expect, it } from 'vitest'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { errorText } from './error-text.ts'

const wrong = new AuthError('invalid_credentials', 400, 'Invalid login credentials')

it.each([
  [['de-AT', 'en'], 'Diese Angaben sind falsch'],
  [['fr'], 'Ces informations sont incorrectes'],
  [['xx'], 'These details are wrong'],
  [[], 'These details are wrong'],
])('describes an error in the first known language of %j (N06)', (languages, sentence) => {
  expect(errorText(wrong, languages)).toContain(sentence)
})

it('describes the weakness of a password, and the time until the next attempt', () => {
  const weak = new AuthError('weak_password', 422, 'weak', { weakPasswordReasons: ['pwned'] })
  const limited = new AuthError('over_request_rate_limit', 429, 'limit', { retryAfterSeconds: 20 })

  expect(errorText(weak, ['en'])).toContain('data breaches')
  expect(errorText(limited, ['de'])).toContain('20\u00a0Sekunden')
})

it.each([
  ['over_email_send_rate_limit', 'en', 'You can request another message in 20\u00a0seconds.'],
  ['over_sms_send_rate_limit', 'de', 'Sie können in 20\u00a0Sekunden eine weitere'],
  ['over_email_send_rate_limit', 'fr', 'demander un autre message dans 20\u00a0secondes.'],
] as const)(
  'describes %s, which no attempt of the user caused (%s)',
  (code, language, sentence) => {
    const error = new AuthError(code, 429, 'limit', { retryAfterSeconds: 20 })

    expect(errorText(error, [language])).toContain(sentence)
  },
)

it.each([
  ['signup_disabled', 'You cannot create an account this way.'],
  ['otp_disabled', 'No account uses this address. Sign up first.'],
] as const)('describes %s without the claim that an invitation is needed', (code, sentence) => {
  expect(errorText(new AuthError(code, 422, 'disabled'), ['en'])).toBe(sentence)
})

it('describes a password that is easy to guess, or lacks characters, in the same words', () => {
  const details = { weakPasswordReasons: ['characters'] } as const
  const weak = new AuthError('weak_password', 422, 'weak', details)

  expect(errorText(weak, ['en'])).toMatch(/^This password is too simple\. .*less common/)
})

it.each([
  ['service_unavailable', 503, 'The service is busy.'],
  ['request_timeout', 504, 'This took too long.'],
] as const)('describes %s, which no attempt of the user caused', (code, status, sentence) => {
  const error = new AuthError(code, status, 'unavailable', { retryAfterSeconds: 1 })

  expect(errorText(error, ['en'])).toContain(sentence)
})

it.each([new Error('a fault'), { code: 'constructor' }, { code: 7 }, null, undefined, 'text'])(
  'describes %s without its details',
  (error) => {
    expect(errorText(error, ['en'])).toBe('Something went wrong. Please try again.')
  },
)

it('describes an error of a client', () => {
  expect(errorText({ name: 'AuthApiError', code: 'same_password' }, ['en'])).toContain('differs')
})
