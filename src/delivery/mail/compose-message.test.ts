import fc from 'fast-check'
import { createTransport } from 'nodemailer'
import PostalMime from 'postal-mime'
import { describe, expect, it } from 'vitest'
import { startSmtpServer } from '../../../test/support/smtp-server.ts'
import { composeMessage, headersWithoutEffect, type Sender } from './compose-message.ts'
import type { RenderedMail } from './mail.ts'

const mail: RenderedMail = {
  kind: 'magicLink',
  to: 'ada@example.com',
  subject: 'Your sign-in link',
  html: '<p>link</p>',
  text: 'link',
}
const delivery = { id: '3f0f3a3e-6a2b-4c55-9d0e-2f3e5b7c9a10', createdAt: new Date(0) }
const sender: Sender = { address: 'no-reply@acme.test', name: null, headers: {} }

/** Returns the message as sent, and its envelope. */
async function composed(given: Partial<RenderedMail>, from: Partial<Sender> = {}) {
  const transport = createTransport({ streamTransport: true, buffer: true })
  const message = composeMessage({ ...mail, ...given }, delivery, { ...sender, ...from })
  const { message: bytes, envelope } = await transport.sendMail(message)
  const raw = String(bytes)
  return {
    raw,
    envelope,
    head: raw.slice(0, raw.indexOf('\r\n\r\n')),
    email: await PostalMime.parse(raw),
  }
}

const namesIn = (head: string): string[] =>
  [...head.matchAll(/^([!-9;-~]+):/gm)].map(([, name = '']) => name.toLowerCase()).sort()

describe('the recipient', () => {
  it.each([
    '',
    'ada',
    'a@x.test, b@y.test',
    'a@x.test;b@y.test',
    'a@x.test b@y.test',
    'a@x.test\r\nRCPT TO:<b@y.test>',
    'a@x.test\nBcc: b@y.test',
    '"a@x.test, b"@y.test',
    '"a"@x.test',
    'Ada <a@x.test>',
    'a@x.test <b@y.test>',
    'team:a@x.test,b@y.test;',
    'a@x.test>,<b@y.test',
    'a(b@y.test)@x.test',
    '@route.test:a@x.test',
    'a@[127.0.0.1]',
    'a@x.test\0',
    'a@b@x.test',
    'ä@x.test',
    'a@ｘ.test',
    `${'a'.repeat(65)}@x.test`,
    `a@${'x'.repeat(250)}.test`,
    'ada@123',
    'ada@0x7b',
    'ada@1.2.3.4',
  ])('is exactly one plain address, which %j is not (T16)', (to) => {
    expect(() => composeMessage({ ...mail, to }, delivery, sender)).toThrow(
      'the recipient is not exactly one plain address',
    )
  })

  it.each([
    'ada@example.com',
    "o'hara+news@mail.example.co.uk",
    'a@localhost',
    'x_=?^`{|}~@y.test',
  ])('may be %s', async (to) => {
    const { envelope, email } = await composed({ to })

    expect(envelope.to).toEqual([to])
    expect(email.to).toMatchObject([{ address: to }])
  })

  it('is the only one, whatever text contains an address (T16)', async () => {
    const part = fc.constantFrom('a', '@', 'x.test', ',', ';', ' ', '<', '>', '"', ':', '\r\n', '(')
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 12 }), async (parts) => {
        const to = parts.join('')
        try {
          composeMessage({ ...mail, to }, delivery, sender)
        } catch {
          return
        }
        const { envelope, email } = await composed({ to })
        expect(envelope.to).toEqual([to])
        expect(email.to).toHaveLength(1)
      }),
    )
  })

  it('is the only one in the SMTP envelope (T16)', async () => {
    await using server = await startSmtpServer()
    const headers = { To: ['b@y.test'], Cc: ['c@y.test'], BCC: ['d@y.test'], 'X-Team': ['auth'] }
    const transport = createTransport({ host: '127.0.0.1', port: server.port })

    await transport.sendMail(composeMessage(mail, delivery, { ...sender, headers }))
    const { envelope, raw } = await server.nextMail()

    expect(envelope.to).toEqual(['ada@example.com'])
    expect(raw).not.toContain('y.test')
    expect(headersWithoutEffect(headers)).toEqual(['To', 'Cc', 'BCC'])
  })
})

describe('headers', () => {
  it('cannot be added by the content of a mail', async () => {
    const usual = namesIn((await composed({})).head)
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 100 }),
      fc
        .array(
          fc.constantFrom(
            '\r\n',
            '\n',
            '\r',
            '\0',
            '\u2028',
            ' ',
            'Bcc: b@y.test',
            '=?utf-8?q?=0D=0A?=',
            'ä',
          ),
          { maxLength: 8 },
        )
        .map((parts) => parts.join('')),
    )
    await fc.assert(
      fc.asyncProperty(text, text, text, async (subject, name, body) => {
        const given = { subject: `x${subject}`, html: `x${body}`, text: `x${body}` }
        const { head } = await composed(given, { name })

        expect(namesIn(head)).toEqual(usual)
      }),
      { numRuns: 300 },
    )
  })

  it("of the operator are added, with the kind of mail, and may replace the sender's headers", async () => {
    const headers = {
      'X-Kind': ['$messageType', '', 'a/$messageType'],
      'Reply-To': ['help@acme.test'],
      From: ['Team <team@acme.test>'],
      Subject: ['One for all'],
      Sender: ['Bounces <bounces@acme.test>'],
      'auto-submitted': ['no'],
    }
    const { head, envelope, email } = await composed({}, { headers })

    expect(email).toMatchObject({
      from: { name: 'Team', address: 'team@acme.test' },
      replyTo: [{ address: 'help@acme.test' }],
      subject: 'One for all',
    })
    expect(envelope.from).toBe('bounces@acme.test')
    expect(head.match(/^X-Kind: .*$/gm)).toEqual(['X-Kind: magic_link', 'X-Kind: a/magic_link'])
    expect(head.match(/^auto-submitted: .*$/gim)).toEqual(['Auto-Submitted: no'])
  })

  it('of the operator cannot replace those of structure and identity', async () => {
    const headers = {
      'Content-Type': ['text/evil'],
      'MIME-Version': ['2'],
      'Message-ID': ['<mine@acme.test>'],
      Date: ['never'],
    }
    const { head } = await composed({}, { headers })

    expect(head).toBe((await composed({})).head.replace(boundary, boundary.exec(head)?.[0] ?? ''))
    expect(headersWithoutEffect(headers)).toEqual(Object.keys(headers))
  })
})

const boundary = /boundary="[^"]*"/
