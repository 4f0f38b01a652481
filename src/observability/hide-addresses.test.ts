import { expect, it } from 'vitest'
import { hideAddresses } from './hide-addresses.ts'

it.each([
  ["The 'To' number +15005550001 is not valid", "The 'To' number … is not valid"],
  ['no route to +1 (500) 555-0001, code 21211', 'no route to …, code 21211'],
  ['recipient=4915550001', 'recipient=…'],
  ['wrong: 123456', 'wrong: …'],
  ['<ada.lovelace+x@mail.example>: unknown', '<…>: unknown'],
  ['mailto:ada@mail.example', 'mailto:…'],
  ['see https://carrier.example/errors/30007', 'see https://carrier.example/errors/30007'],
  ['message SM1234567890abcdef1234', 'message SM1234567890abcdef1234'],
])('makes %j into %j', (text, hidden) => {
  expect(hideAddresses(text)).toBe(hidden)
})

it('takes no longer than it takes to read the text', () => {
  const long = 'a'.repeat(200 * 1024)
  const startedAt = performance.now()
  const hidden = hideAddresses(`${long} ada@mail.example ${'1 '.repeat(100_000)}`)

  expect(performance.now() - startedAt).toBeLessThan(1000)
  expect(hidden).toBe(`${long} … … `)
})
