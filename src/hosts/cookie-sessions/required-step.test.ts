import { describe, expect, it } from 'vitest'
import { AuthError, type AuthErrorCode } from '../../platform/errors/auth-error.ts'
import { requiredStep, signInUrl, stepUpUrl } from './required-step.ts'

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

const pages = { origins: new Set(['https://app.example.com']), basePath: '/auth' }

describe('the URL of the sign-in page', () => {
  it.each([
    ['/dashboard?tab=1', 'https://app.example.com/dashboard?tab=1'],
    ['http://app.example.com/dashboard', 'https://app.example.com/dashboard'],
    ['https://evil.test/dashboard', 'https://app.example.com/dashboard'],
    ['//evil.test/x', 'https://app.example.com/x'],
    ['//', 'https://app.example.com/'],
    ['///', 'https://app.example.com/'],
    ['https://', 'https://app.example.com/'],
    ['//[', 'https://app.example.com/'],
    ['https://app.example.com//evil.test', 'https://app.example.com/evil.test'],
  ])('returns from %s to the page on the own origin', (page, target) => {
    expect(signInUrl(pages, page)).toBe(
      `/auth/sign-in?${new URLSearchParams({ redirect_to: target })}`,
    )
  })
})

describe('the URL of the page of a step', () => {
  it.each([
    ['verify', '/auth/second-factor', null, null],
    ['enroll', '/auth/account/security', null, 'enroll'],
    ['sign_in', '/auth/sign-in', '1', null],
  ] as const)('%s returns to the page on the own origin', (step, path, again, purpose) => {
    const url = new URL(stepUpUrl(pages, step, '//evil.test/x'), 'https://app.example.com')

    expect(url.pathname).toBe(path)
    expect(url.searchParams.get('for')).toBe(purpose)
    expect(url.searchParams.get('redirect_to')).toBe('https://app.example.com/x')
    expect(url.searchParams.get('again')).toBe(again)
  })
})
