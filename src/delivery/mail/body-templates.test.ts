import { afterEach, describe, expect, it, vi } from 'vitest'
import { createTestClock } from '../../../test/support/test-clock.ts'
import { startWebServer } from '../../../test/support/web-server.ts'
import { checkConfig } from '../../platform/config/check-config.ts'
import type { EmailConfig } from '../../platform/config/sections/email.ts'
import type { Logger } from '../../platform/observability/logger.ts'
import { silentLogger } from '../../platform/observability/logger.ts'
import { sampleMail } from './mail.ts'
import { createMailRenderer } from './render-mail.ts'

afterEach(() => {
  vi.useRealTimers()
})

/** Starts a site with one template, which a test may change or break. */
async function startSite() {
  const site = { status: 200, body: '<p>first {{ .Token }}</p>', headers: {} }
  const server = await startWebServer((response) => {
    response.writeHead(site.status, site.headers).end(site.body)
  })
  return Object.assign(site, {
    url: server.url,
    requests: server.heard,
    close: server.close,
    [Symbol.asyncDispose]: server.close,
  })
}

function rendererFor(siteUrl: string, email: EmailConfig) {
  const clock = createTestClock()
  const logged: { event?: string; mail_type?: string }[] = []
  const logger: Logger = { ...silentLogger, error: (fields) => logged.push(fields) }
  const { config } = checkConfig({ siteUrl, development: true, email })
  const renderer = createMailRenderer({ config, clock, logger })
  const mail = sampleMail('confirmation', siteUrl, 'de')
  return {
    clock,
    logged,
    render: () => renderer.render(mail),
    renderWith: (data: Record<string, unknown>) =>
      renderer.render({ ...mail, variables: { ...mail.variables, Data: data } }),
    [Symbol.asyncDispose]: () => renderer.close(),
  }
}

const path = { templates: { confirmation: '/mails/confirm.html' } }
const builtInSubject = 'Bestätigen Sie Ihre E-Mail-Adresse'

describe("an operator's own template", () => {
  it('is fetched from the site, rendered, and converted to text', async () => {
    await using site = await startSite()
    await using mails = rendererFor(site.url, path)
    site.body = '<p>Dear {{ .Data.first_name }}</p><a href="{{ .ConfirmationURL }}">go</a>'

    const { html, text, subject } = await mails.render()

    expect(site.requests).toMatchObject([{ method: 'GET', path: '/mails/confirm.html' }])
    expect(html).toContain('<p>Dear Ada</p><a href="https://auth.example.com/verify?token=')
    expect(text).toMatch(
      /^Dear Ada\n\ngo <https:\/\/auth\.example\.com\/verify\?token=[^>]*welcome>\n$/,
    )
    // The language of the template is unknown, so the subject is the configured one.
    expect(subject).toBe('Confirm your email address')
  })

  it('is fetched from another URL', async () => {
    await using site = await startSite()
    const confirmation = `${site.url}/elsewhere?v=1`
    await using mails = rendererFor('https://app.example.com', { templates: { confirmation } })

    expect((await mails.render()).html).toBe('<p>first 417309</p>')
    expect(site.requests).toMatchObject([{ path: '/elsewhere?v=1' }])
  })

  it('escapes markup in values (T17)', async () => {
    await using site = await startSite()
    await using mails = rendererFor(site.url, path)
    site.body = '<p title="{{ .Data.x }}">{{ .Data.x }}</p>'

    const { html } = await mails.renderWith({ x: '"><img src=x onerror=alert(1)>' })

    expect(html).not.toContain('<img')
  })

  it('is cached for its maximum age, and fetched once after it', async () => {
    await using site = await startSite()
    await using mails = rendererFor(site.url, path)
    await mails.render()
    site.body = 'second'

    mails.clock.advance(599)
    const young = await mails.render()
    mails.clock.advance(1)
    const old = await Promise.all([mails.render(), mails.render(), mails.render()])

    expect(young.html).toBe('<p>first 417309</p>')
    expect(old.map(({ html }) => html)).toEqual(['second', 'second', 'second'])
    expect(site.requests).toHaveLength(2)
  })

  it('stays in use while a newer one is unavailable, with a pause between attempts', async () => {
    await using site = await startSite()
    await using mails = rendererFor(site.url, path)
    await mails.render()
    site.status = 500

    mails.clock.advance(600)
    const first = await mails.render()
    mails.clock.advance(9)
    await mails.render()
    const attempts = site.requests.length
    mails.clock.advance(1)
    site.status = 200
    site.body = 'second'
    const second = await mails.render()

    expect(first.html).toBe('<p>first 417309</p>')
    expect(attempts).toBe(2)
    expect(second.html).toBe('second')
    expect(mails.logged).toMatchObject([
      { event: 'templatemailer_template_body_http_error', mail_type: 'confirmation' },
    ])
  })

  it.each([
    ['another status', { status: 404 }, 'http'],
    [
      'a redirect, which is not followed (T43)',
      { status: 302, headers: { location: '/' } },
      'http',
    ],
    ['too large', { body: 'x'.repeat(2001) }, 'http'],
    ['no template', { body: 'Hi {{ if }}' }, 'parse'],
  ])('is replaced by the built-in mail for %s', async (_case, answer, problem) => {
    await using site = await startSite()
    await using mails = rendererFor(site.url, {
      ...path,
      subjects: { confirmation: 'Mine' },
      templateFetch: { maxSizeBytes: 2000 },
    })
    Object.assign(site, answer)

    const { html, subject } = await mails.render()

    expect(html).toContain('<html lang="de"')
    expect(subject).toBe(builtInSubject)
    expect(mails.logged).toMatchObject([
      { event: `templatemailer_template_body_${problem}_error`, mail_type: 'confirmation' },
    ])
  })

  it('is replaced if the site is unreachable, or a public host uses http (T43)', async () => {
    const site = await startSite()
    await site.close()
    await using unavailable = rendererFor(site.url, path)
    await using open = rendererFor('http://93.184.215.14', path)

    for (const mails of [unavailable, open]) {
      expect((await mails.render()).subject).toBe(builtInSubject)
      expect(mails.logged).toMatchObject([{ event: 'templatemailer_template_body_http_error' }])
    }
  })

  it('is replaced for one mail whose data do not fit', async () => {
    await using site = await startSite()
    await using mails = rendererFor(site.url, path)
    site.body = '<p>{{ .Data.team.name }}</p>'

    const without = await mails.renderWith({})
    const withTeam = await mails.renderWith({ team: { name: 'Blue' } })

    expect(without.subject).toBe(builtInSubject)
    expect(withTeam.html).toBe('<p>Blue</p>')
    expect(mails.logged).toMatchObject([{ event: 'templatemailer_template_execute_error' }])
    expect(JSON.stringify(mails.logged)).not.toMatch(/ada|417309/)
  })
})

describe('reloading', () => {
  const reloading = (email: EmailConfig = {}) => ({
    ...path,
    templateFetch: { reloadingEnabled: true },
    ...email,
  })

  /** Advances timers and the clock, and waits for fetches. */
  async function pass(mails: ReturnType<typeof rendererFor>, seconds: number): Promise<void> {
    mails.clock.advance(seconds)
    await vi.advanceTimersByTimeAsync(seconds * 1000)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }

  it('fetches a template before it expires, so that no mail waits', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    await using site = await startSite()
    await using mails = rendererFor(site.url, reloading())
    await mails.render()
    site.body = 'second'

    await pass(mails, 530)
    const before = site.requests.length
    await pass(mails, 15)
    const after = site.requests.length
    const { html } = await mails.render()

    expect([before, after, site.requests.length]).toEqual([1, 2, 2])
    expect(html).toBe('second')
  })

  it('retries soon if only the built-in mail is available', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    await using site = await startSite()
    await using mails = rendererFor(site.url, reloading())
    site.status = 503
    await mails.render()
    site.status = 200

    await pass(mails, 13)
    const { html } = await mails.render()

    expect(html).toBe('<p>first 417309</p>')
    expect(site.requests).toHaveLength(2)
  })

  it('ends after a long time without a mail, and restarts with the next', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    await using site = await startSite()
    await using mails = rendererFor(
      site.url,
      reloading({ templateFetch: { reloadingEnabled: true, reloadingMaxIdleSeconds: 60 } }),
    )
    await mails.render()

    await pass(mails, 61)
    expect(vi.getTimerCount()).toBe(0)
    await pass(mails, 1000)
    expect(site.requests).toHaveLength(1)
    await mails.render()
    expect(vi.getTimerCount()).toBe(1)
  })
})
