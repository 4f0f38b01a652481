import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createTestClock } from '../../../test/support/test-clock.ts'
import { checkConfig } from '../../platform/config/check-config.ts'
import type { EmailConfig, MailTemplate } from '../../platform/config/sections/email.ts'
import { type Logger, silentLogger } from '../../platform/observability/logger.ts'
import { sampleMail } from './mail.ts'
import { createMailRenderer } from './render-mail.ts'

type Templates = NonNullable<EmailConfig['templates']>

const siteUrl = 'https://app.example.com'

function rendererFor(templates: Templates, { development = true } = {}) {
  const clock = createTestClock()
  const logged: Record<string, unknown>[] = []
  const logger: Logger = { ...silentLogger, error: (fields) => logged.push({ ...fields }) }
  const { config } = checkConfig({ siteUrl, development: true, email: { templates } })
  const renderer = createMailRenderer({ config: { ...config, development }, clock, logger })
  return {
    clock,
    logged,
    render: (languages: string[] = ['de'], data: Record<string, unknown> = {}) => {
      const mail = sampleMail('confirmation', siteUrl, 'en')
      return renderer.render({ ...mail, languages, variables: { ...mail.variables, Data: data } })
    },
    [Symbol.asyncDispose]: () => renderer.close(),
  }
}

const builtInSubject = 'Bestätigen Sie Ihre E-Mail-Adresse'

const layoutOf: MailTemplate = (mail) =>
  mail.layout({
    heading: `Willkommen, ${mail.variables.Data['name']}`,
    message: 'Bitte {{ .Token }} bestätigen.',
    button: 'Bestätigen',
    closing: 'Sonst ignorieren.',
  })

afterEach(() => {
  vi.useRealTimers()
})

describe('N07: a template function', () => {
  it('renders the mail from its kind, language, variables and built-in content', async () => {
    const template = vi.fn<MailTemplate>(({ variables, language, builtIn }) => ({
      subject: `${language}: ${builtIn.subject}`,
      html: `<p>Code <b>${variables.Token}</b></p>`,
      text: `Code ${variables.Token}`,
    }))
    await using mails = rendererFor({ confirmation: template })

    const { subject, html, text } = await mails.render(['de-AT', 'en'])

    expect({ subject, html, text }).toEqual({
      subject: `de: ${builtInSubject}`,
      html: '<p>Code <b>417309</b></p>',
      text: 'Code 417309',
    })
    expect(template.mock.calls[0]?.[0]).toMatchObject({
      kind: 'confirmation',
      to: 'ada@example.com',
      languages: ['de-AT', 'en'],
      siteName: 'app.example.com',
    })
  })

  it('may omit the text, and cannot add a header by its subject', async () => {
    await using mails = rendererFor({
      confirmation: async () => ({ subject: 'Hi\r\nBcc: eve@example.com', html: '<p>Hello</p>' }),
    })

    expect(await mails.render()).toMatchObject({
      subject: 'Hi Bcc: eve@example.com',
      text: 'Hello\n',
    })
  })

  it('uses the layout of the built-in mails, which escapes its texts (T17)', async () => {
    await using mails = rendererFor({ confirmation: layoutOf })

    const { subject, html, text } = await mails.render(['de'], { name: '<img src=x>' })

    expect(subject).toBe('Willkommen, <img src=x>')
    expect(html).toContain('<html lang="de"')
    expect(html).toContain('Willkommen, &lt;img src=x&gt;</h1>')
    expect(html).not.toContain('<img')
    for (const part of [html, text]) {
      expect(part).toContain('Bitte {{ .Token }} bestätigen.')
      expect(part).toContain('417309')
    }
    expect(html).toContain('href="https://auth.example.com/verify?token=')
    expect(mails.logged).toEqual([])
  })

  it('replaces the phrases of the layout, for another form of address or language', async () => {
    const own = {
      orEnterCode: 'Oder gib {{ .Token }} <ein>:',
      orOpenLink: 'Oder öffne den Link:',
      sentTo: 'Gesendet an dich.',
    }
    await using mails = rendererFor({
      confirmation: (mail) =>
        mail.layout({ heading: 'Hallo', message: 'Los.', button: 'Los', closing: 'Ende.', ...own }),
    })

    const { html, text } = await mails.render(['de'])

    expect(html).toContain('Oder gib {{ .Token }} &lt;ein&gt;:')
    expect(html).toContain(own.orOpenLink)
    expect(text).toContain('Oder gib {{ .Token }} <ein>: 417309')
    for (const part of [html, text]) {
      expect(part).toContain(own.sentTo)
      expect(part).not.toMatch(/geben Sie|öffnen Sie|Gesendet an ada/)
    }
  })

  it('replaces the phrase before the code of a mail without a button', async () => {
    await using mails = rendererFor({
      confirmation: ({ layout }) =>
        layout({ heading: 'Hola', message: 'Confirma.', closing: '', enterCode: 'Tu código:' }),
    })

    expect((await mails.render()).text).toContain('Tu código: 417309')
  })

  it('escapes a value by `escapeHtml`', async () => {
    await using mails = rendererFor({
      confirmation: ({ variables, escapeHtml }) => ({
        subject: 'Hi',
        html: `<p title="${escapeHtml(String(variables.Data['name']))}">Hi</p>`,
      }),
    })

    const { html } = await mails.render(['de'], { name: '"><img>' })

    expect(html).toBe('<p title="&#34;&gt;&lt;img&gt;">Hi</p>')
  })

  it.each<[string, unknown]>([
    [
      'throws',
      () => {
        throw new Error('not rendered')
      },
    ],
    ['rejects', async () => Promise.reject(new Error('not rendered'))],
    ['returns nothing', () => undefined],
    ['returns no html', () => ({ subject: 'Hi' })],
    ['returns an empty subject', () => ({ subject: ' \n', html: '<p>Hi</p>' })],
    ['returns another type', () => ({ subject: 'Hi', html: 7 })],
    ['returns too much', () => ({ subject: 'Hi', html: 'x'.repeat(1_000_001) })],
    ['returns NUL', () => ({ subject: 'Hi', html: '<p>\0</p>' })],
    ['returns a text of another type', () => ({ subject: 'Hi', html: '<p>Hi</p>', text: 7 })],
  ])('is replaced by the built-in mail if it %s', async (_case, template) => {
    await using mails = rendererFor({ confirmation: template as MailTemplate })

    const { html, subject } = await mails.render()

    expect(subject).toBe(builtInSubject)
    expect(html).toContain('417309')
    expect(mails.logged).toMatchObject([
      { event: 'templatemailer_template_execute_error', mail_type: 'confirmation' },
    ])
  })

  it('is replaced by the built-in mail after 5 seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const called = Promise.withResolvers<void>()
    await using mails = rendererFor({
      confirmation: () => {
        called.resolve()
        return new Promise(() => {})
      },
    })

    const rendered = mails.render()
    await called.promise
    await vi.advanceTimersByTimeAsync(5_000)

    expect((await rendered).subject).toBe(builtInSubject)
    expect(mails.logged).toHaveLength(1)
  })

  it('has the layout and the built-in mail in English for a language without them', async () => {
    await using mails = rendererFor({
      confirmation: {
        es: ({ builtIn, layout }) => ({
          ...layout({ heading: 'Hola', message: 'Confirma.', closing: '' }),
          subject: builtIn.subject,
        }),
      },
    })

    const { subject, html } = await mails.render(['es', 'de'])

    expect(subject).toBe('Confirm your email address')
    expect(html).toContain('<html lang="en"')
  })

  it('cannot change the stored mail', async () => {
    await using mails = rendererFor({
      confirmation: ({ variables, builtIn }) => {
        Object.assign(variables, { Token: 'changed' })
        Object.assign(builtIn, { html: '' })
        throw new Error('not rendered')
      },
    })

    expect((await mails.render()).html).toContain('417309')
  })
})

describe('N07: templates by language', () => {
  const named =
    (name: string): MailTemplate =>
    () => ({ subject: name, html: `<p>${name}</p>` })

  it.each([
    [['de'], 'Deutsch'],
    [['es-MX', 'de'], 'Español'],
    [['fr', 'de'], 'Confirmez votre adresse e-mail'],
    [['it', 'de'], 'Deutsch'],
    [[], 'Confirm your email address'],
    [['constructor'], 'Confirm your email address'],
  ])(
    'apply in the first language with a template or a built-in mail: %j',
    async (tags, subject) => {
      await using mails = rendererFor({
        confirmation: { de: named('Deutsch'), es: named('Español') },
      })

      expect((await mails.render(tags)).subject).toBe(subject)
    },
  )
})

describe('N07: a template file', () => {
  let folder: string
  let file: string

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'latchkey-templates-'))
    file = join(folder, 'confirm.html')
    await writeFile(file, '<p>first {{ .Token }}</p>')
  })
  afterEach(() => rm(folder, { recursive: true }))

  it('is rendered, and read again for each mail in development', async () => {
    await using mails = rendererFor({ confirmation: pathToFileURL(file).href })

    const first = await mails.render()
    await writeFile(file, '{{ if }}')
    const broken = await mails.render()
    await writeFile(file, '<p>second</p>')
    const second = await mails.render()

    expect([first, broken, second].map(({ html }) => html)).toEqual([
      '<p>first 417309</p>',
      '<p>first 417309</p>',
      '<p>second</p>',
    ])
    expect(mails.logged).toMatchObject([{ event: 'templatemailer_template_body_parse_error' }])
  })

  it('is read again after its maximum age in production', async () => {
    await using mails = rendererFor(
      { confirmation: { de: pathToFileURL(file).href } },
      { development: false },
    )
    const first = await mails.render()
    await writeFile(file, '<p>second</p>')

    mails.clock.advance(599)
    const young = await mails.render()
    mails.clock.advance(1)
    const old = await mails.render()

    expect([first, young, old].map(({ html }) => html)).toEqual([
      '<p>first 417309</p>',
      '<p>first 417309</p>',
      '<p>second</p>',
    ])
  })

  it('is replaced by the built-in mail if it does not exist', async () => {
    await using mails = rendererFor({ confirmation: './does-not-exist.html' })

    expect((await mails.render()).subject).toBe(builtInSubject)
    expect(mails.logged).toMatchObject([{ event: 'templatemailer_template_body_http_error' }])
  })
})

describe('the setting', () => {
  it.each([
    [7, 'email.templates.confirmation'],
    ['confirm.html', 'email.templates.confirmation'],
    ['ftp://example.com/confirm.html', 'email.templates.confirmation'],
    [{ de: 'confirm.html' }, 'email.templates.confirmation.de'],
    [{ 'de-AT': './confirm.html' }, 'email.templates.confirmation.de-AT'],
  ])('rejects %j', (confirmation, path) => {
    const templates = { confirmation } as Templates

    expect(() => checkConfig({ siteUrl, development: true, email: { templates } })).toThrow(path)
  })
})
