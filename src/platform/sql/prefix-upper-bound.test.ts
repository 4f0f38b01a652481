import { expect, it } from 'vitest'
import { prefixUpperBound } from './like-pattern.ts'

it.each([
  ['ada', 'adb'],
  ['ada@', 'adaA'],
  ['z', '{'],
  ['a\u{ff}', 'a\u{100}'],
  ['a\u{d7ff}', 'a\u{e000}'],
  ['a\u{ffff}', 'a\u{10000}'],
  ['a\u{10ffff}\u{10ffff}', 'b'],
  ['\u{10ffff}', ''],
  ['', ''],
])('after all texts that begin with %j is %j', (beginning, expected) => {
  expect(prefixUpperBound(beginning)).toBe(expected)
})
