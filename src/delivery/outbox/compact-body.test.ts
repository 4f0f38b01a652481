import { describe, expect, it } from 'vitest'
import { extractRoots } from '../../platform/kit/derived-keys.ts'
import { reseal, seal } from '../../platform/kit/sealed-box.ts'
import { compactBody, expandBody } from './compact-body.ts'
import type { Message } from './message.ts'
import { newOutboxRow, openBody, outboxBox } from './outbox-row.ts'

const bytesOf = (body: string | Uint8Array) => Buffer.from(body)
const secret = `${'0123456789abcdef'.repeat(3)}01234567`
const mail = {
  kind: 'magicLink',
  to: 'ada@example.test',
  languages: ['en'],
  variables: {
    SiteURL: 'https://app.example.test',
    Email: 'ada@example.test',
    Data: { name: 'Ada', note: 'é — 你好 🙂' },
    ConfirmationURL: `https://auth.example.test/verify?token=${secret}&type=magiclink&redirect_to=https%3A%2F%2Fapp.example.test`,
    Token: '482913',
    TokenHash: secret,
    RedirectTo: 'https://app.example.test',
  },
} as const

describe('the body of a message', () => {
  it.each(['{}', '{"a":"é — 你好 🙂"}', JSON.stringify(mail), `{"a":"${'x'.repeat(100_000)}"}`])(
    'is the same after its storage: %.20s',
    (json) => expect(expandBody(bytesOf(compactBody(json)))).toBe(json),
  )

  it('of a mail with a link has less than half of its length', () => {
    const json = JSON.stringify(mail)

    expect(bytesOf(compactBody(json)).length).toBeLessThan(json.length / 2)
  })

  it('is shorter with the texts of its row, and readable with them', () => {
    const [json, rowText] = [JSON.stringify(mail), mail.to]
    const stored = bytesOf(compactBody(json, rowText))

    expect(stored.length).toBeLessThan(bytesOf(compactBody(json)).length)
    expect(expandBody(stored, rowText)).toBe(json)
    expect(expandBody(bytesOf(compactBody(json)), rowText)).toBe(json)
  })

  // Made with the dictionary of the first version, whose bodies must remain readable.
  it('that was stored with this dictionary is readable', () => {
    const stored = Buffer.from(
      'AcMdTokpifCgKkktLiE7rNAMgYUbFvNhyQuarxxTEkGZLL8ExDm8UuFRwxSFJ3sXPF26V-HD_JlNSsSHMsh81BA2gASUuYVlYlJySmoasXziIwWL12GRZGJhZGlojBZJ5LoIV-Ri2F9bCwA',
      'base64url',
    )

    expect(JSON.parse(expandBody(stored))).toEqual(mail)
  })

  it('that an earlier version stored as JSON is readable', () => {
    const roots = extractRoots('a root key of tests with thirty-two bytes')
    const message = { channel: 'email', content: mail } as unknown as Message
    const order = { message, kind: 'magiclink', recipient: mail.to, userId: null, expiresAt: null }
    const row = newOutboxRow({ roots }, order, new Date(0))
    const former = { ...row, body: seal(roots, outboxBox(row.id), JSON.stringify(mail)) }

    expect(openBody(roots, former)).toEqual(message)
    expect(openBody(roots, row)).toEqual(message)
  })

  it('is readable after a rotation of the root key', () => {
    const [old, current] = [
      'an old root key of thirty-two bytes',
      'a new root key of thirty-two bytes',
    ]
    const both = extractRoots(current, old)
    const message = { channel: 'email', content: mail } as unknown as Message
    const order = { message, kind: 'magiclink', recipient: mail.to, userId: null, expiresAt: null }
    const row = newOutboxRow({ roots: extractRoots(old) }, order, new Date(0))
    const body = reseal(both, outboxBox(row.id), row.body ?? '')

    expect(openBody(extractRoots(current), { ...row, body })).toEqual(message)
  })
})
