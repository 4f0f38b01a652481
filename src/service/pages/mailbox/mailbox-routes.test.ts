import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createMailboxApp, someMail, someSms } from '../../../../test/support/mailbox-server.ts'
import { createTestClock } from '../../../../test/support/test-clock.ts'
import {
  createDevelopmentMailbox,
  type DevelopmentMailbox,
} from '../../../delivery/outbox/development-mailbox.ts'
import { silentLogger } from '../../../platform/observability/logger.ts'
import { announceMailbox } from './mailbox-address.ts'

const token = 'a0b1c2d3'
const root = '/auth/_latchkey/mail'
const clock = createTestClock()
const delivery = (id: string) => ({ id, createdAt: clock.now() })

let mailbox: DevelopmentMailbox
let app: ReturnType<typeof createMailboxApp>

beforeEach(() => {
  mailbox = createDevelopmentMailbox({ clock })
  app = createMailboxApp(mailbox, token)
})

interface RequestOptions {
  method?: string
  headers?: Record<string, string>
  ip?: string
}

async function ask(path = '', { method = 'GET', headers, ip = '127.0.0.1' }: RequestOptions = {}) {
  const request = new Request(`http://127.0.0.1:8081${root}${path}`, {
    method,
    headers: { host: '127.0.0.1:8081', cookie: `latchkey_development_8081=${token}`, ...headers },
  })
  return app.fetch(Object.assign(request, { ip }))
}

const read = async (path = '', requested: RequestOptions = {}) =>
  (await ask(path, requested)).text()

describe('the mailbox', () => {
  it('shows complete messages, the newest first', async () => {
    await mailbox.sms.send(someSms, delivery('1'))
    await mailbox.mails.send(someMail, delivery('2'))
    const page = await read()

    expect(page.indexOf('href="/auth/_latchkey/mail/2"')).toBeLessThan(
      page.indexOf('href="/auth/_latchkey/mail/1"'),
    )
    expect(page).toContain('<h1 id="subject">Reset your password</h1>')
    expect(page).toContain('src="/auth/_latchkey/mail/2/html"')
    expect(page).toContain('data-copy="007314"')
    expect(page).toContain('+4915550100')
  })

  it('shows one message, as text on request', async () => {
    await mailbox.mails.send(someMail, delivery('1'))
    await mailbox.sms.send(someSms, delivery('2'))
    const preview = await read('/1')
    const text = await read('/1?view=text')

    expect(preview).toContain('<iframe')
    expect(text).not.toContain('<iframe')
    expect(text).toContain('Or enter the code 483920.</pre>')
    expect(await read('/2')).toContain('<p class="bubble">Your code is 007314</p>')
  })

  it('returns the mails as JSON, the oldest first', async () => {
    await mailbox.mails.send(someMail, delivery('1'))
    await mailbox.sms.send(someSms, delivery('2'))
    await mailbox.mails.send({ ...someMail, to: 'bea@example.test' }, delivery('3'))
    const answer = await ask('/mails')

    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(await answer.json()).toEqual({
      mails: [
        { id: '1', ...someMail },
        { id: '3', ...someMail, to: 'bea@example.test' },
      ],
    })
  })

  it('reports an empty mailbox', async () => {
    expect(await read()).toContain('No messages yet')
  })

  it('has no other message, and no other method', async () => {
    await mailbox.sms.send(someSms, delivery('1'))
    expect((await ask('/2')).status).toBe(404)
    expect((await ask('/2/html')).status).toBe(404)
    expect((await ask('/1/html')).status).toBe(404)
    expect((await ask('/%zz')).status).toBe(404)
    expect((await ask('', { method: 'POST' })).status).toBe(405)
  })

  it.each(['', '/events', '/mails', '/1', '/1/html'])(
    'is only for this machine (%s)',
    async (path) => {
      await mailbox.mails.send(someMail, delivery('1'))
      const elsewhere = await ask(path, { ip: '203.0.113.7' })
      const withoutCookie = await ask(path, { headers: { cookie: '' } })

      expect(elsewhere.status).toBe(404)
      expect(withoutCookie.status).toBe(401)
      expect(await withoutCookie.text()).toContain('This page is locked')
      for (const answer of [elsewhere, withoutCookie, await ask(path, { method: 'HEAD' })]) {
        expect(answer.headers.has('access-control-allow-origin')).toBe(false)
      }
    },
  )
})

describe('a page', () => {
  it('runs and fetches only its own content', async () => {
    await mailbox.mails.send(someMail, delivery('1'))
    for (const path of ['', '/1']) {
      const answer = await ask(path)
      const page = await answer.text()
      const policy = answer.headers.get('content-security-policy') ?? ''
      const [, nonce] = /script-src 'nonce-([0-9a-f]{32})'/.exec(policy) ?? []

      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).not.toContain('unsafe')
      expect(page.match(/<(script|style)\b[^>]*>/g)).toEqual([
        `<style nonce="${nonce}">`,
        `<script nonce="${nonce}">`,
      ])
      expect(page).not.toMatch(/\son\w+=|\sstyle=|<link rel="stylesheet|<img|src="(?!\/auth)/)
      expect(answer.headers.get('cache-control')).toBe('no-store')
      expect(answer.headers.get('referrer-policy')).toBe('no-referrer')
    }
  })

  it('has a new nonce each time', async () => {
    const policies = await Promise.all([ask(), ask()])
    const [one, other] = policies.map(({ headers }) => headers.get('content-security-policy'))
    expect(one).not.toBe(other)
  })
})

describe('the HTML of a mail', () => {
  it('is shown in a frame without origin that runs no script', async () => {
    await mailbox.mails.send({ ...someMail, html: '<script>alert(1)</script>' }, delivery('1'))
    const answer = await ask('/1/html')
    const policy = answer.headers.get('content-security-policy') ?? ''

    expect(await answer.text()).toBe(
      '<!doctype html><base target="_blank"><script>alert(1)</script>',
    )
    expect(policy).toMatch(/(^|; )sandbox(?!.*allow-(scripts|same-origin|forms|top))/)
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toContain('script-src')
    expect(await read('/1')).toMatch(/<iframe [^>]*sandbox="allow-popups [^"]*escape-sandbox"/)
  })
})

describe('T26: no external text becomes HTML', () => {
  const nasty = [
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "'><svg onload=alert(1)>",
    '</title></style></script><script>alert(1)</script>',
    '&lt;script&gt;',
    'javascript:alert(1)',
    '{{alert(1)}}',
    '\u2028<b>',
    ']]><!--<script>',
  ]

  it.each(nasty)('of a message: %s', async (value) => {
    await mailbox.mails.send(
      { ...someMail, to: value, subject: `${value} 123456`, text: value },
      delivery('1'),
    )
    await mailbox.mails.send(
      { ...someMail, html: `<a href='${value}'>x</a><a href="https://a.test/?${value}">` },
      delivery('2'),
    )
    await mailbox.sms.send({ ...someSms, to: value, code: value, text: value }, delivery('3'))
    await expectOwnTagsAlone(['', '/1', '/1?view=text', '/2', '/2?view=text', '/3'])
  })

  it.each(nasty)('of a request: %s', async (value) => {
    await mailbox.mails.send(someMail, delivery('1'))
    const odd = encodeURIComponent(value)
    const paths = ['', '/1'].flatMap((path) =>
      ['view', 'error', 'message', 'redirect_to', odd].map((name) => `${path}?${name}=${odd}`),
    )
    await expectOwnTagsAlone(paths)
    for (const path of [...paths, `?token=${odd}`, `/${odd}`, `/${odd}/html`, `/1/${odd}`]) {
      for (const headers of [
        {},
        { cookie: '', referer: value.replace('\u2028', ''), 'last-event-id': 'x' },
      ]) {
        expect(await read(path, { headers })).not.toContain(value)
      }
    }
  })

  /**
   * Escaped text contains neither quotes nor brackets, so that tags and their attributes can be
   * recognized.
   */
  async function expectOwnTagsAlone(paths: string[]) {
    for (const path of paths) {
      const page = (await read(path)).replace(/<(script|style) nonce.*?<\/\1>/gs, '')
      const tags = [...page.matchAll(/<\/?([^\s>]+)([^>]*)>/g)]
      const attributes = tags.flatMap(([, , rest = '']) =>
        rest.replace(/="[^"]*"/g, '').split(/\s+/),
      )
      expect(tags.map(([, name]) => name).filter((name) => !ownTags.has(name ?? ''))).toEqual([])
      expect(attributes.filter((name) => !ownAttributes.has(name))).toEqual([])
      expect(page).not.toMatch(/(?:href|src)="(?!\/auth\/|https?:|data:,")/)
    }
  }

  const words = (text: string) => new Set(text.split(/\s+/))
  const ownTags = words(
    `!doctype html head meta title link body header a strong span p main section ol li svg path time
     div button article h1 nav iframe pre`,
  )
  const ownAttributes = words(
    ` html lang dir charset name content rel href class data-events data-copy id role src sandbox title type
     aria-label aria-live aria-current aria-hidden aria-labelledby viewBox d datetime target tabindex `,
  )
})

describe('the stream of events', () => {
  afterEach(() => mailbox.close())

  async function listen(headers: Record<string, string> = {}) {
    const answer = await ask('/events', { headers })
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
    return { answer, next: async () => (await reader?.read())?.value }
  }

  it('reports new messages, and ends with the mailbox', async () => {
    const { answer, next } = await listen()
    expect(answer.headers.get('content-type')).toBe('text/event-stream')
    expect(await next()).toBe('retry: 200\n\nid: none\n\n')

    await mailbox.mails.send(someMail, delivery('1'))
    expect(await next()).toBe('id: 1\ndata: New message for ada@example.test: Recovery\n\n')
    mailbox.close()
    expect(await next()).toBeUndefined()
  })

  it('reports missed messages after a reconnection, and no known ones', async () => {
    await mailbox.sms.send(someSms, delivery('1'))
    const known = await (await listen({ 'last-event-id': '1' })).next()
    const missed = await (await listen({ 'last-event-id': 'none' })).next()
    const first = await (await listen()).next()

    expect(known).toBe('retry: 200\n\n')
    expect(missed).toBe('retry: 200\n\nid: 1\ndata: New message for +4915550100: SMS\n\n')
    expect(first).toBe('retry: 200\n\nid: 1\n\n')
  })

  it('contains no field of a sender', async () => {
    const { next } = await listen()
    await next()
    await mailbox.mails.send({ ...someMail, to: 'a\r\ndata: evil\n\nid: 9' }, delivery('1'))
    expect(await next()).toBe('id: 1\ndata: New message for a data: evil id: 9: Recovery\n\n')
  })
})

const both = { email: true, phone: true }
const given = { mailbox: {}, mailboxTakes: both, developerToken: 'a0b1' }
const here = { externalUrl: 'http://127.0.0.1:3000/auth', basePath: '/auth', logger: null }

afterEach(() => vi.restoreAllMocks())

function listen() {
  const printed: string[] = []
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => printed.push(String(text)) > 0)
  return printed
}

it('writes the address of the mailbox to the logger', () => {
  const printed = listen()
  const info = vi.fn()
  announceMailbox({ ...given, config: { ...here, logger: { ...silentLogger, info } } })

  expect(info.mock.calls).toEqual([
    [
      { url: 'http://127.0.0.1:3000/auth/_latchkey/mail?token=a0b1' },
      'Latchkey shows mails and text messages instead of sending them',
    ],
  ])
  expect(printed).toEqual([])
})

it('prints it where there is no logger, because developers need it', () => {
  const printed = listen()
  announceMailbox({ ...given, mailboxTakes: { email: false, phone: true }, config: here })

  expect(printed).toEqual([
    'Latchkey shows text messages instead of sending them: http://127.0.0.1:3000/auth/_latchkey/mail?token=a0b1\n',
  ])
})

it('prints only the path where the service has a public address', () => {
  const printed = listen()
  announceMailbox({ ...given, config: { ...here, externalUrl: 'https://abc.tunnel.test/auth' } })

  expect(printed[0]).toMatch(/: \/auth\/_latchkey\/mail\?token=a0b1\n$/)
})

it('prints nothing where there is no mailbox', () => {
  const printed = listen()
  announceMailbox({ ...given, mailbox: null, config: here })
  announceMailbox({ ...given, developerToken: null, config: here })

  expect(printed).toEqual([])
})
