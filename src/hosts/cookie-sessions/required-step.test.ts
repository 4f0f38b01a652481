import { describe, expect, it } from 'vitest'
import { AuthError, type AuthErrorCode } from '../../platform/errors/auth-error.ts'
import { requiredStep } from './required-step.ts'

describe('requiredStep', () => {
  it.each<[AuthErrorCode, number, object, string | null]>([
    ['no_authorization', 401, {}, 'sign_in'],
    ['bad_jwt', 401, {}, 'sign_in'],
    ['session_not_found', 401, {}, 'sign_in'],
    ['session_not_found', 403, {}, 'sign_in'],
    ['session_not_found', 404, {}, null],
    ['session_expired', 403, {}, 'sign_in'],
    ['user_banned', 403, {}, 'sign_in'],
    ['user_not_found', 403, {}, 'sign_in'],
    ['insufficient_aal', 403, {}, 'verify'],
    ['insufficient_aal', 403, { stepUp: 'verify' }, 'verify'],
    ['mfa_factor_not_found', 403, { stepUp: 'enroll' }, 'enroll'],
    ['reauthentication_needed', 403, { stepUp: 'sign_in' }, 'sign_in'],
    ['user_banned', 400, {}, null],
    ['user_not_found', 404, {}, null],
    ['invalid_credentials', 400, {}, null],
    ['service_unavailable', 503, {}, null],
  ])('after %s (%i) with %j is %s', (code, status, details, step) => {
    expect(requiredStep(new AuthError(code, status, 'a test', details))).toBe(step)
  })

  it('after another error is null', () => {
    expect(requiredStep(new TypeError('a test'))).toBeNull()
  })
})
