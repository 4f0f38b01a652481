import { describe, expect, it } from 'vitest'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { emailToFind, phoneToFind, readEmail, readPhone } from './addresses.ts'

function rejectionOf(act: () => unknown): { code: string; status: number; message: string } {
  try {
    act()
  } catch (error) {
    if (error instanceof AuthError) return error
  }
  throw new Error('it was accepted')
}

describe('an email address', () => {
  it.each([
    ['ada@example.com', 'ada@example.com'],
    ['Ada.Lovelace@Example.COM', 'ada.lovelace@example.com'],
    ['a+tag@sub.example.co.uk', 'a+tag@sub.example.co.uk'],
    ["o'brien!#$%&*/=?^_`{|}~-@x", "o'brien!#$%&*/=?^_`{|}~-@x"],
    ['root@localhost', 'root@localhost'],
    ['x@xn--bcher-kva.example', 'x@xn--bcher-kva.example'],
  ])('%s is stored as %s', (text, value) => {
    expect(readEmail(text)).toEqual({ kind: 'email', value })
  })

  it.each([
    'ada',
    '@example.com',
    'ada@',
    'ada@@example.com',
    'ada@exa_mple.com',
    'ada@-example.com',
    'ada@example-.com',
    'ada@example..com',
    'ada@.example.com',
    'ada@example.com.',
    `ada@${'x'.repeat(64)}.com`,
    'ada@[127.0.0.1]',
    // Only one mailbox in its plain form is accepted, without anything beside it.
    'a@x.com,b@y.com',
    'a@x.com;b@y.com',
    'a@x.com b@y.com',
    'a@x.com, b@y.com',
    'group:a@x.com,b@y.com;',
    '<a@x.com>',
    'Ada <a@x.com>',
    '"a@x.com,b"@y.com',
    '"a"@x.com',
    'a(comment)@x.com',
    'a@x.com(comment)',
    'a\\@b@x.com',
    ' a@x.com',
    'a@x.com ',
    'a@x.com\n',
    'a@x.com\r\nBcc: b@y.com',
    'a@x.com%0d%0aBcc:b@y.com',
    'a@x.com\0',
    'a\t@x.com',
    // Look-alikes are not ASCII, before or after conversion to lower case.
    'a＠x.com',
    'a﹫x.com',
    'a@x․com',
    'a@x。com',
    'аda@example.com',
    'ada@exаmple.com',
    'a\u200b@x.com',
    'a@x.com\u2028b@y.com',
    'İ@x.com',
    // KELVIN SIGN, whose lower case is an ordinary k.
    '\u212Aate@x.com',
  ])('rejects %j (T15, T16)', (text) => {
    expect(rejectionOf(() => readEmail(text))).toMatchObject({
      code: 'validation_failed',
      status: 400,
      message: 'email: Unable to validate email address: invalid format',
    })
  })

  it('states that the address is missing or too long', () => {
    expect(rejectionOf(() => readEmail('')).message).toBe('email: An email address is required')
    expect(rejectionOf(() => readEmail(`${'a'.repeat(250)}@x.com`)).message).toBe(
      'email: An email address is too long',
    )
    expect(readEmail(`${'a'.repeat(249)}@x.com`).value).toHaveLength(255)
  })
})

describe('a phone number', () => {
  it.each([
    ['+4915112345678', '4915112345678'],
    ['49 151 1234 5678', '4915112345678'],
    ['12', '12'],
    ['+123456789012345', '123456789012345'],
  ])('%s is stored as %s', (text, value) => {
    expect(readPhone(text)).toEqual({ kind: 'phone', value })
  })

  it.each([
    '',
    '+',
    '1',
    '0123',
    '+0049151',
    '++49151',
    '49-151',
    '(49)151',
    '1234567890123456',
    '٤٩١٥١',
  ])('rejects %j', (text) => {
    expect(rejectionOf(() => readPhone(text))).toMatchObject({
      code: 'validation_failed',
      status: 400,
    })
  })
})

it('looks up an address in its stored form, however malformed', () => {
  expect(emailToFind('Ada@EXAMPLE.com').value).toBe('ada@example.com')
  expect(emailToFind('no address').value).toBe('no address')
  expect(phoneToFind('+49 151').value).toBe('49151')
})
