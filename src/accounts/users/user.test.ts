import { expect, it } from 'vitest'
import { systemRandom as random } from '../../platform/kit/random.ts'
import { mergeMetadata } from './metadata.ts'
import { newUser } from './new-user.ts'
import { hasConfirmedAddress, isBanned } from './user.ts'

const [early, late] = [new Date('2026-01-01'), new Date('2026-02-01')]

const user = (emailConfirmedAt: Date | null, phoneConfirmedAt: Date | null) => ({
  ...newUser({ random, now: early }, { addresses: [], audience: 'a', role: 'r' }),
  emailConfirmedAt,
  phoneConfirmedAt,
})

it.each([
  [null, null, false],
  [early, null, true],
  [null, late, true],
  [early, late, true],
])('with email confirmed %s and phone %s is confirmed: %s', (email, phone, expected) => {
  expect(hasConfirmedAddress(user(email, phone))).toBe(expected)
})

it('applies a ban until the instant of its end', () => {
  const now = new Date('2026-01-15T12:00:00.000Z')
  const ends = [null, new Date(now.getTime() - 1), now, new Date(now.getTime() + 1)]

  expect(ends.map((bannedUntil) => isBanned({ bannedUntil }, now))).toEqual([
    false,
    false,
    false,
    true,
  ])
})

it('merges metadata by top-level key, where null removes', () => {
  const merged = mergeMetadata(
    { kept: 1, replaced: { a: 1, b: 2 }, removed: true },
    { replaced: { b: 3 }, removed: null, added: [null], unknown: null, zero: 0, no: false },
  )

  expect(merged).toEqual({ kept: 1, replaced: { b: 3 }, added: [null], zero: 0, no: false })
})
