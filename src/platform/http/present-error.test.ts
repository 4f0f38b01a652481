import { describe, expect, it } from 'vitest'
import { AuthError } from '../errors/auth-error.ts'
import { methodNotAllowed, serviceUnavailable } from '../errors/request-errors.ts'
import { presentError } from './present-error.ts'

const rejection = new AuthError('user_banned', 403, 'User is banned')
const present = (apiVersion: string | null, error = rejection) =>
  presentError(error, { requestId: 'request-1', apiVersion })

describe('an error on the wire', () => {
  it('has its status as code by default', () => {
    expect(present(null)).toEqual({
      status: 403,
      headers: { 'x-sb-error-code': 'user_banned' },
      body: {
        code: 403,
        error_code: 'user_banned',
        msg: 'User is banned',
        request_id: 'request-1',
      },
    })
  })

  it('contains the action that the user has to take, as `step_up`', () => {
    const error = new AuthError('reauthentication_needed', 403, 'Again', { stepUp: 'verify' })

    expect(present(null, error).body).toMatchObject({ step_up: 'verify' })
    expect(present('2024-01-01', error).body).toMatchObject({ step_up: 'verify' })
  })

  it('has a text as code, and declares it, for clients of 2024 or later', () => {
    expect(present('2024-01-01')).toEqual({
      status: 403,
      headers: { 'x-supabase-api-version': '2024-01-01', 'x-sb-error-code': 'user_banned' },
      body: { code: 'user_banned', message: 'User is banned', request_id: 'request-1' },
    })
  })

  it.each(['2024-01-01', '2024-01-02', '2024-12-31', '2025-06-01', '9999-12-31'])(
    'treats %s as 2024 or later',
    (version) => {
      expect(present(version).body.code).toBe('user_banned')
    },
  )

  it.each([
    '2023-12-31',
    '1999-01-01',
    '',
    'latest',
    '2024',
    '2024-1-1',
    '20240101',
    '2024-01-01T00:00Z',
    '2024-01-01, 2024-01-01',
    ' 2024-01-01',
    '3024-01-01\n',
    '+2024-01-01',
  ])('treats %j as the first version', (version) => {
    expect(present(version).body.code).toBe(403)
    expect(present(version).headers).not.toHaveProperty('x-supabase-api-version')
  })

  it.each([null, '2024-01-01'])('contains in both forms why a password is weak (%s)', (version) => {
    const weak = new AuthError('weak_password', 422, 'Weak', { weakPasswordReasons: ['length'] })

    expect(present(version, weak).body.weak_password).toEqual({ reasons: ['length'] })
  })

  it.each([null, '2024-01-01'])('contains in both forms when to retry (%s)', (version) => {
    const { headers, body } = present(version, serviceUnavailable('Busy'))

    expect([headers['retry-after'], body.retry_after]).toEqual(['1', 1])
  })

  it.each([null, '2024-01-01'])('has the form of OAuth for an OAuth error (%s)', (version) => {
    const refused = new AuthError('invalid_credentials', 400, 'The grant is spent', {
      oauthError: 'invalid_grant',
    })

    expect(present(version, refused)).toEqual({
      status: 400,
      headers: {},
      body: {
        error: 'invalid_grant',
        error_description: 'The grant is spent',
        request_id: 'request-1',
      },
    })
  })

  it('lists the allowed methods', () => {
    expect(present(null, methodNotAllowed(['GET', 'HEAD'])).headers.allow).toBe('GET, HEAD')
  })

  it('does not contain the cause', () => {
    const { body } = present(null, serviceUnavailable('Busy', new Error('a database error')))

    expect(JSON.stringify(body)).not.toContain('the database said')
  })
})
