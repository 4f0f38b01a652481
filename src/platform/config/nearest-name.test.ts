import { expect, it } from 'vitest'
import { threadMs } from '../../../test/support/main-thread.ts'
import { nearestName } from './nearest-name.ts'

const names = ['AUTH_SITE_URL', 'AUTH_SMTP_HOST', 'AUTH_SMTP_PORT']

it('finds the name that a typing error was meant to be', () => {
  expect(nearestName('AUTH_SIT_URL', names)).toBe('AUTH_SITE_URL')
  expect(nearestName('AUTH_STIE_URL', names)).toBe('AUTH_SITE_URL')
  expect(nearestName('auth_smtp_host', names)).toBe('AUTH_SMTP_HOST')
  expect(nearestName('emial', ['phone', 'email'])).toBe('email')
})

it('prefers the more similar of two', () => {
  expect(nearestName('AUTH_SMTP_POST', names)).toBe('AUTH_SMTP_HOST')
  expect(nearestName('AUTH_SMTP_PORTS', names)).toBe('AUTH_SMTP_PORT')
})

it('returns no dissimilar name', () => {
  expect(nearestName('colour', ['accountSid', 'authToken'])).toBeNull()
  expect(nearestName('x', [])).toBeNull()
})

it('is fast for a name of a megabyte', async () => {
  const ms = await threadMs(() => expect(nearestName('A'.repeat(1_000_000), names)).toBeNull())

  expect(ms).toBeLessThan(2_000)
})
