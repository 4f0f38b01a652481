import { expect, it } from 'vitest'
import { formatDate } from './format-date.ts'

it.each([
  ['en', 'Nov 26, 2026, 6:05 PM UTC'],
  ['de', '26. Nov. 2026, 18:05 UTC'],
  ['fr', '26 nov. 2026, 18:05 UTC'],
])('names the time zone in %s', (language, text) => {
  const formatted = formatDate({ language }, new Date('2026-11-26T18:05:00Z'))

  // Versions of ICU differ in their kinds of spaces.
  expect(formatted.replaceAll(/\s/g, ' ')).toBe(text)
})
