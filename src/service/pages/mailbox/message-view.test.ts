import { describe, expect, it } from 'vitest'
import { actionsOf } from './message-view.ts'

const link = 'https://auth.acme.test/verify?token=a1&type=recovery&redirect_to=https%3A%2F%2Fa.test'

const actions = (html: string, text = '', subject = '') =>
  actionsOf({
    id: '1',
    arrivedAt: new Date(0),
    kind: 'mail',
    mail: { kind: 'recovery', to: 'ada@example.test', subject, html, text },
  })

describe('the links of a mail', () => {
  it.each([
    ['in quotes', `<p><a href="${link.replaceAll('&', '&amp;')}">Reset</a></p>`],
    ['in apostrophes', `<a class='x' href='${link.replaceAll('&', '&#38;')}'>Reset</a>`],
    ['in capitals', `<A HREF = "${link.replaceAll('&', '&#x26;')}">Reset</A>`],
    ['given twice', `<a href="${link}">Reset</a> or <a href="${link}">${link}</a>`],
  ])('are read from its HTML, %s', (_case, html) => {
    expect(actions(html).links).toEqual([link])
  })

  it('are read from its text where the HTML has none', () => {
    expect(actions('', `Follow ${link}.\nOr (https://a.test/x), please.`).links).toEqual([
      link,
      'https://a.test/x',
    ])
  })

  it("begin with the one of the mail's purpose", () => {
    const home = 'https://acme.test/'
    expect(actions(`<a href="${home}">Acme</a><a href="${link}">Reset</a>`).links).toEqual([
      link,
      home,
    ])
  })

  it.each([
    'javascript:alert(1)',
    'data:text/html,x',
    '&#106;avascript:alert(1)',
    '/verify',
    '&#x110000;',
  ])('lead to the web: %s does not', (href) =>
    expect(actions(`<a href="${href}">x</a>`).links).toEqual([]),
  )
})

describe('the code of a mail', () => {
  it.each([
    ['Your code is 123456', '123456'],
    ['Your code: 0123456789.', '0123456789'],
    ['(483920)', '483920'],
    ['**483920**', '483920'],
    ['Call +15550100 or 555-0100123', null],
    ['12345', null],
    ['12345678901', null],
    ['On 2026-01-02 for 1.000000 or 100,000000', null],
    ['abc123456', null],
    [`${link.replace('a1', '123456')} is a link`, null],
    ['https://a.test/123456 and 654321', '654321'],
  ])('in %j is %j', (text, code) => {
    expect(actions('', text).code).toBe(code)
  })

  it('may be only in the subject', () => {
    expect(actions('<p>Hello</p>', 'Hello', '483920 is your verification code').code).toBe('483920')
  })
})

it('is read from the data of an SMS', () => {
  const sms = { to: '15550100', code: '007007', channel: 'sms', text: 'Hello' } as const
  const message = { id: '1', arrivedAt: new Date(0), kind: 'sms', sms } as const
  expect(actionsOf(message)).toEqual({ links: [], code: '007007' })
})
