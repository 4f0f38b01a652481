import { expect, it } from 'vitest'
import { threadMs } from '../../../test/support/main-thread.ts'
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

it('takes time linear in the text', async () => {
  const long = 'a'.repeat(200 * 1024)
  const text = `${long} ada@mail.example ${'1 '.repeat(100_000)}`

  const ms = await threadMs(() => expect(hideAddresses(text)).toBe(`${long} … … `))

  expect(ms).toBeLessThan(1000)
})
