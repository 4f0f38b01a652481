import { expect, it } from 'vitest'
import { jsonText } from './values.ts'

it('prints JSON without hidden characters, which is parsed to the same value', () => {
  const value = { 'a\u202e': ['\u200b\u2028\u2029\ufeff\u0085\0', '\u{e0041}', 'é ⚡', 1] }

  expect(jsonText(value)).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
  expect(jsonText(value)).toContain('é ⚡')
  expect(JSON.parse(jsonText(value))).toEqual(value)
})
