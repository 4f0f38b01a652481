import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readEmail, readPhone } from '../src/accounts/users/addresses.ts'
import { type MessagingAuth, startMessagingAuth } from './support/messages.ts'
import { testPassword } from './support/test-auth.ts'

// T15, T16: a message is sent to one mailbox, that of the validated address.

let auth: MessagingAuth
let token: string
let service: string

beforeAll(async () => {
  auth = await startMessagingAuth()
  const session = await auth.given.session('owner@example.test')
  token = session.accessToken
  service = await auth.given.serviceToken()
})
afterAll(() => auth.close())

/** Requests that send a mail to an address in the request. */
const ways: [string, (email: string) => Promise<{ status: number; body: { msg: string } }>][] = [
  ['/signup', (email) => auth.post('/signup', { email, password: testPassword })],
  ['/otp', (email) => auth.post('/otp', { email })],
  ['/magiclink', (email) => auth.post('/magiclink', { email })],
  ['/recover', (email) => auth.post('/recover', { email })],
  ['/resend', (email) => auth.post('/resend', { type: 'signup', email })],
  ['/invite', (email) => auth.post('/invite', { email }, { token: service })],
  ['PUT /user', (email) => auth.put('/user', { email }, { token })],
  [
    'generate_link',
    (email) =>
      auth.post(
        '/admin/generate_link',
        { type: 'invite', email, send_email: true },
        { token: service },
      ),
  ],
  ['POST /verify', (email) => auth.post('/verify', { type: 'email', token: '123456', email })],
]

const victim = 'owner@example.test'

/** Texts that other parsers read as two addresses, another address, or more than an address. */
const several = [
  `${victim},eve@evil.test`,
  `${victim}, eve@evil.test`,
  `eve@evil.test;${victim}`,
  `"${victim}"@evil.test`,
  `"owner@example.test, x"@evil.test`,
  `eve@evil.test <${victim}>`,
  `<${victim}>`,
  `Friends: ${victim}, eve@evil.test;`,
  `${victim}\r\nBcc: eve@evil.test`,
  `${victim}\nBcc: eve@evil.test`,
  `${victim}\r`,
  `${victim}\0`,
  `${victim}\u2028x`,
  `owner(comment)@example.test`,
  `owner@example.test@evil.test`,
  ` ${victim}`,
  `${victim} `,
  `owner@[127.0.0.1]`,
  `owner@example..test`,
  `@example.test`,
  'owner@',
  `${'a'.repeat(250)}@a.test`,
]

/** Letters that become others by normalization (NFKC), or in lower case. */
const lookAlikes = [
  'owner\uff20example.test',
  'owner\ufe6bexample.test',
  '\uff4fwner@example.test',
  'owner@example\u3002test',
  'owner@example\uff0etest',
  'owner@ex\u00e4mple.test',
  'owner@e\u0078\u0301ample.test',
  '\u212Aate@example.test',
  'owner@example.te\u017ft',
  'own\u200ber@example.test',
  'owner@example.test\u00ad',
]

describe.each(ways)('T16, T15: %s rejects, and sends no mail,', (_name, send) => {
  it.each([...several, ...lookAlikes])('%j', async (email) => {
    const before = await auth.rows('select id from auth.outbox_messages')

    const { status, body } = await send(email)

    expect([400, 422]).toContain(status)
    expect(body.msg).toMatch(/^email: /)
    expect(await auth.rows('select id from auth.outbox_messages')).toHaveLength(before.length)
  })
})

describe('T15: the validated form of an address is the stored one', () => {
  const accepted = (text: string): string | null => {
    try {
      return readEmail(text).value
    } catch {
      return null
    }
  }

  it('and an accepted address is in normal form, so that normalization does not change it', () => {
    const character = fc.oneof(
      fc.constantFrom(...'aB9.+-_@'),
      fc.integer({ min: 0x80, max: 0xffff }).map((code) => String.fromCodePoint(code)),
    )
    const local = fc.string({ unit: character, minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(local, local, (user, domain) => {
        const text = `${user}@${domain}.test`
        const value = accepted(text)
        if (value === null) return
        expect(value.normalize('NFKC')).toBe(value)
        expect(value).toBe(text.toLowerCase())
        expect(value.split('@')).toHaveLength(2)
        expect(value).toMatch(/^[\x21-\x7e]+$/)
      }),
      { numRuns: 2_000 },
    )
  })

  it('and every letter that normalizes to an accepted one is rejected', () => {
    const strange = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code)).filter(
      (letter) => letter > '\x7f' && /^[\x21-\x7e]+$/.test(letter.normalize('NFKC')),
    )

    const taken = strange.filter(
      (letter) =>
        accepted(`a${letter}@example.test`) ?? accepted(`a@exa${letter}mple.test`) ?? false,
    )
    const numbers = strange.filter((letter) => {
      try {
        return readPhone(`4915${letter}1234567`)
      } catch {
        return false
      }
    })

    expect(strange.length).toBeGreaterThan(500)
    expect([taken, numbers]).toEqual([[], []])
  })
})

it('T16: a mail is sent to one address, in the spelling that is stored', async () => {
  await auth.post('/otp', { email: "O'Brien+Tag@Example.TEST" })

  const message = await auth.messageTo("o'brien+tag@example.test")
  const [stored] = await auth.rows(
    `select recipient from auth.outbox_messages where recipient like 'o''brien%'`,
  )

  expect(message.to).toBe("o'brien+tag@example.test")
  expect(stored).toEqual({ recipient: "o'brien+tag@example.test" })
})
