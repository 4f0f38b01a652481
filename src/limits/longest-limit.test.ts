import { expect, it } from 'vitest'
import { checkConfig } from '../platform/config/check-config.ts'
import type { AuthConfig } from '../platform/config/config.ts'
import { longestLimitSeconds } from './longest-limit.ts'

const secondsWith = (changes: AuthConfig): number =>
  longestLimitSeconds(checkConfig({ development: true, ...changes }).config)

const hours = 3_600

it.each<[string, AuthConfig, number]>([
  ['guesses, where nothing else is', {}, 1],
  ['messages to an email', { email: { maxFrequencySeconds: 3 * hours } }, 3],
  ['messages to a phone', { sms: { maxFrequencySeconds: 4 * hours } }, 4],
  ['codes of a second factor', { mfa: { phone: { maxFrequencySeconds: 5 * hours } } }, 5],
  ['the budget of mails', { rateLimits: { emailSent: '1/6h' } }, 6],
])('waits as long as the limit of %s takes', (_what, changes, expected) => {
  expect(secondsWith(changes)).toBe(expected * hours)
})
