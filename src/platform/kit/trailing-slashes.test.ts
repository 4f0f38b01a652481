import { expect, it } from 'vitest'
import { pathBelow, withoutTrailingSlashes } from './trailing-slashes.ts'

it.each([
  ['/auth//', '/auth'],
  ['https://a.test/', 'https://a.test'],
  ['//', ''],
  ['', ''],
])('%j without the slashes at its end is %j', (text, expected) => {
  expect(withoutTrailingSlashes(text)).toBe(expected)
})

it.each([
  ['https://a.test/auth/', '/auth'],
  ['https://a.test', ''],
  ['no url', ''],
])('the paths of %j are below %j', (url, expected) => {
  expect(pathBelow(url)).toBe(expected)
})
