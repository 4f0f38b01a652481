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
