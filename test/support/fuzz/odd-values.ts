import type { Dice } from './dice.ts'

/** Part of every password, address and forged token that is sent. Logs must not contain it. */
export const canary = 'c4n4ry'

/** Phone numbers contain no letters; each begins with these digits. */
export const phoneCanary = '4930901820'

/** Odd texts that can be stored. */
const storableTexts: readonly string[] = [
  '',
  ' ',
  '\t',
  '\n',
  '\u007f',
  '\u200b',
  '\ufeff',
  '\u202e',
  'é',
  '日本語',
  '👩‍👩‍👧',
  'ﷺ',
  'null',
  'undefined',
  'NaN',
  '[object Object]',
  'true',
  '0',
  '-1',
  '1e400',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '../../etc/passwd',
  '%00',
  '%s%n',
  '{{1}}',
  "' or 1=1 --",
  '"; drop table users; --',
  "\\'",
  '$1',
  '#{1}',
  '$$',
  '?',
  '<script>alert(1)</script>',
  'a\r\nX-Injected: 1',
  'İ',
  'ß',
  'ſ',
  '\u0130@x',
  'A'.repeat(300),
  'ü'.repeat(500),
]

/** Texts that PostgreSQL cannot store. */
const unstorableTexts = ['\0', 'a\0b', '\ud800', '\udc00a', 'ab\udbff']

export const storableText = (dice: Dice): string => dice.pick(storableTexts)

export const oddText = (dice: Dice): string =>
  dice.chance(25) ? dice.pick(unstorableTexts) : storableText(dice)

const inconvertible = { toString: 'a', valueOf: 'a' }

/** Returns a value of any JSON type. */
export function oddValue(dice: Dice, depth = 0): unknown {
  const kind = dice.below(depth > 3 ? 5 : 8)
  if (kind === 0) return dice.pick([null, true, false])
  if (kind === 1)
    return dice.pick([0, -0, 1, -1, 0.1, 1e21, 1e308, -1e308, 2 ** 53, 2 ** 31, 5e-324])
  if (kind < 5) return oddText(dice)
  // Its conversion to a text or a number throws.
  if (dice.chance(5)) return dice.pick([inconvertible, [inconvertible]])
  if (kind === 5) return Array.from({ length: dice.below(4) }, () => oddValue(dice, depth + 1))
  return oddObject(dice, depth + 1)
}

const oddKeys = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'toJSON',
  'then',
  '',
  ' ',
  'é',
  'a.b',
  'provider',
  'providers',
  'sub',
  'role',
  'email',
  'email_verified',
  'is_anonymous',
  '0',
  'length',
]

/** Returns an object with odd keys. `__proto__` is an own member, as `JSON.parse` creates it. */
export function oddObject(dice: Dice, depth = 0): Record<string, unknown> {
  const object: Record<string, unknown> = {}
  for (let left = dice.below(5); left > 0; left--) {
    const key = dice.chance(10) ? oddText(dice) : dice.pick(oddKeys)
    const value = oddValue(dice, depth)
    Object.defineProperty(object, key, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    })
  }
  return object
}

/** Returns an object that can be stored, of some size. */
export const storableObject = (dice: Dice): Record<string, unknown> => ({
  [storableText(dice)]: storableText(dice),
  number: dice.pick([0, -0, 1e308, 0.1]),
  nested: nest(dice.below(60), [storableText(dice)]),
  ...(dice.chance(2) && { large: 'x'.repeat(20_000) }),
})

function nest(levels: number, value: unknown): unknown {
  let nested = value
  for (let level = 0; level < levels; level++) nested = level % 2 ? [nested] : { in: nested }
  return nested
}
