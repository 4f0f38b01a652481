import { runInNewContext } from 'node:vm'
import { expect, it, vi } from 'vitest'
import { describeDatabaseError } from '../../service/persistence/describe-database-error.ts'
import { describeFault } from '../observability/describe-fault.ts'
import { AuthError } from './auth-error.ts'

/**
 * Loads a second copy of the class, as when a bundler includes `latchkey` in two parts of an
 * application.
 */
async function copyOfAuthError(): Promise<typeof AuthError> {
  vi.resetModules()
  return (await import('./auth-error.ts')).AuthError
}

it('H28: is recognized by every copy of its class', async () => {
  const Copy = await copyOfAuthError()

  expect(Copy).not.toBe(AuthError)
  expect(new Copy('otp_expired', 403, 'expired')).toBeInstanceOf(AuthError)
  expect(new AuthError('otp_expired', 403, 'expired')).toBeInstanceOf(Copy)
  for (const other of [new Error('AuthError'), { name: 'AuthError' }, null, 'AuthError']) {
    expect(other).not.toBeInstanceOf(AuthError)
  }
})

it('is no instance of a subclass', () => {
  class OtherError extends AuthError {}

  expect(new AuthError('otp_expired', 403, 'expired')).not.toBeInstanceOf(OtherError)
  expect(new OtherError('otp_expired', 403, 'expired')).toBeInstanceOf(OtherError)
  expect(new OtherError('otp_expired', 403, 'expired')).toBeInstanceOf(AuthError)
})

it('H28: recognizes an error of another realm, as in Jest', () => {
  const lost = runInNewContext(`Object.assign(new Error('lost'), { code: 'ECONNREFUSED' })`)

  expect(lost).not.toBeInstanceOf(Error)
  expect(describeDatabaseError(lost)).toMatchObject({ code: 'service_unavailable', cause: lost })
  expect(describeFault(lost)).toMatchObject({
    name: 'Error',
    code: 'ECONNREFUSED',
    message: 'lost',
  })
})
