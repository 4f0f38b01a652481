import { describe, expect, it } from 'vitest'
import { oidc } from '../../credentials/external/oidc.ts'
import { checkConfig } from '../../platform/config/check-config.ts'
import type { EmailConfig } from '../../platform/config/sections/email.ts'
import { systemClock } from '../../platform/kit/clock.ts'
import { languages } from '../../platform/kit/languages.ts'
import { mailKinds, mails } from '../../platform/mails/mails.ts'
import { silentLogger } from '../../platform/observability/logger.ts'
import { type Mail, sampleMail } from './mail.ts'
import { createMailRenderer } from './render-mail.ts'

const siteUrl = 'https://app.example.com'

function rendererWith(email: EmailConfig = {}) {
  const { config } = checkConfig({ siteUrl, development: true, email })
  return createMailRenderer({ config, clock: systemClock, logger: silentLogger })
}

const allMails = mailKinds.flatMap((kind) => languages.map((language) => [kind, language] as const))

describe('the built-in mails', () => {
  it.each(allMails)(
    '%s in %s contain all data, and no unfilled placeholder',
    async (kind, language) => {
      const mail = sampleMail(kind, siteUrl, language)
      const { ConfirmationURL, Token } = mail.variables

      const { subject, html, text } = await rendererWith().render(mail)

      expect(html).toContain(`<html lang="${language}" dir="ltr">`)
      for (const part of [subject, html, text]) {
        expect(part).not.toMatch(/\{\{|\}\}|undefined|null|\[object|#blocked/)
      }
      for (const part of [html, text]) {
        const plain = part.replaceAll('&amp;', '&').replaceAll('&#43;', '+')
        if (ConfirmationURL) expect(plain).toContain(ConfirmationURL)
        if (Token) expect(plain).toContain(Token)
        for (const shown of shownBy(mail)) expect(plain).toContain(shown)
      }
    },
  )

  it.each(allMails)('%s in %s contain no number that looks like a code', async (kind, language) => {
    const mail = sampleMail(kind, siteUrl, language)
    const { html, text } = await rendererWith().render(mail)

    const known = [mail.variables.Token ?? '{{', ...shownBy(mail)]
    const rest = known.reduce((part, value) => part.replaceAll(value, ''), html + text)

    expect(rest.replace(/https?:[^\s"<]+/g, '')).not.toMatch(/(?<![\w-])\d{6,}/)
  })

  it('have the subjects of the specification', () => {
    const english = Object.fromEntries(
      mailKinds.map((kind) => [kind, mails[kind].texts.en.subject]),
    )
    const { config } = checkConfig({ siteUrl, development: true })

    expect(config.email.subjects).toEqual(english)
  })

  it('are in the first supported language of the user', async () => {
    const subjectFor = async (tags: string[]) =>
      (await rendererWith().render({ ...confirmation(), languages: tags })).subject

    expect(await subjectFor([])).toBe('Confirm your email address')
    expect(await subjectFor(['pt-BR', 'DE-at', 'fr'])).toBe('Bestätigen Sie Ihre E-Mail-Adresse')
    expect(await subjectFor(['fr-Latn-CH'])).toBe('Confirmez votre adresse e-mail')
    expect(await subjectFor(['den', '*', ''])).toBe('Confirm your email address')
  })

  it('escape markup in values (T17)', async () => {
    const evil = '"><script>alert(1)</script>'
    const variables = { ...confirmation().variables, Email: evil, Token: evil, SiteURL: evil }

    const { html } = await rendererWith().render({ ...confirmation(), variables })

    expect(html).not.toContain('<script')
    expect(html).toContain('&#34;&gt;&lt;script&gt;')
  })
})

const confirmation = () => sampleMail('confirmation', siteUrl, 'en')

/** Returns the values that a mail of this kind has to contain. */
function shownBy({ kind, variables }: Mail): string[] {
  const { NewEmail, OldEmail, Phone, OldPhone, Provider } = variables
  const shown = [NewEmail, OldEmail, Phone, OldPhone, Provider && 'GitHub']
  if (kind === 'confirmation' || kind === 'passwordChanged') shown.push(variables.Email)
  return shown.filter((value) => value !== undefined)
}

describe('an address of another user in a mail', () => {
  const evil = 'www.evil.example/login?u=@evil.example.com'
  const textFor = async (
    kind: 'emailChange' | 'emailChanged',
    given: Partial<Mail['variables']>,
  ) => {
    const mail = sampleMail(kind, siteUrl, 'en')
    const to = 'victim@example.com'
    return rendererWith().render({ ...mail, to, variables: { ...mail.variables, ...given } })
  }

  it.each([
    [
      'the current one, to the new one',
      'emailChange',
      { Email: evil, NewEmail: 'victim@example.com' },
    ],
    [
      'the new one, to the current one',
      'emailChange',
      { Email: 'victim@example.com', NewEmail: evil },
    ],
    [
      'the new one, after the change',
      'emailChanged',
      { OldEmail: 'victim@example.com', Email: evil },
    ],
  ] as const)('is left out if it looks like a link: %s', async (_, kind, variables) => {
    const { text, html } = await textFor(kind, variables)

    expect(`${text}${html}`).not.toContain('evil.example')
    expect(text).toContain('victim@example.com')
  })

  it('is shown otherwise, as is that of the recipient', async () => {
    const { text } = await textFor('emailChange', {
      Email: "jürgen.o'neil+a_b@example.com",
      NewEmail: 'a/b@example.com',
    })
    const own = await rendererWith().render({
      ...confirmation(),
      to: 'a/b@example.com',
      variables: { ...confirmation().variables, Email: 'a/b@example.com' },
    })

    expect(text).toContain("from jürgen.o'neil+a_b@example.com.")
    expect(own.text).toContain('a/b@example.com')
  })
})

describe('the name of a provider in a mail', () => {
  const linked = (Provider: string, renderer = rendererWith()) => {
    const mail = sampleMail('identityLinked', siteUrl, 'en')
    return renderer.render({ ...mail, variables: { ...mail.variables, Provider } })
  }

  it.each([
    ['vercel_marketplace', 'Vercel Marketplace'],
    ['linkedin_oidc', 'LinkedIn'],
    ['fly', 'Fly.io'],
    ['unknown', 'unknown'],
    ['custom:removed', 'removed'],
  ])('of %s is %s', async (provider, label) => {
    expect((await linked(provider)).text).toContain(`with ${label}.`)
  })

  it('is its label, where the application defines the provider', async () => {
    const client = { clientId: 'a', clientSecret: 's' }
    const acme = oidc({ issuer: 'https://id.acme.example', ...client, label: 'Acme' })
    const { config } = checkConfig({ siteUrl, development: true, providers: { acme } })
    const renderer = createMailRenderer({ config, clock: systemClock, logger: silentLogger })

    expect((await linked('acme', renderer)).text).toContain('with Acme.')
  })
})

describe('the name of a sign-in method in a mail', () => {
  it.each([
    ['en', 'phone', 'with a code sent to your phone.'],
    ['en', 'email', 'with your email address.'],
    ['en', 'web3', 'with your wallet.'],
    ['de', 'phone', 'mit einem an Ihr Telefon gesendeten Code bei app.example.com anmelden'],
    ['de', 'email', 'mit Ihrer E-Mail-Adresse bei app.example.com anmelden'],
    ['de', 'web3', 'mit Ihrer Wallet bei app.example.com anmelden'],
    ['fr', 'phone', 'avec un code envoyé sur votre téléphone.'],
    ['fr', 'email', 'avec votre adresse e-mail.'],
    ['fr', 'web3', 'avec votre portefeuille.'],
    ['de', 'custom:acme', 'mit Acme bei app.example.com anmelden'],
  ])('is in the language %s for %s', async (language, Provider, expected) => {
    for (const kind of ['identityLinked', 'identityUnlinked'] as const) {
      const mail = sampleMail(kind, siteUrl, language)
      const variables = {
        ...mail.variables,
        Provider,
        ...(Provider === 'custom:acme' && { ProviderName: 'Acme' }),
      }
      const { html, text } = await rendererWith().render({ ...mail, variables })

      // Pages keep "e-mail" in one line.
      expect(html.replaceAll('\u2011', '-').replaceAll(/\s+/g, ' ')).toContain(expected)
      expect(text.replaceAll(/\s+/g, ' ')).toContain(expected)
    }
  })

  it('is that of a provider with the name of another method', async () => {
    const mail = sampleMail('identityLinked', siteUrl, 'en')
    const variables = { ...mail.variables, Provider: 'custom:acme', ProviderName: 'phone' }

    expect((await rendererWith().render({ ...mail, variables })).text).toContain(') with phone.')
  })
})

describe('the name of the application in mails', () => {
  it.each([
    ['that of the sender', { from: { name: 'Acme Mail' } }, { name: 'Acme' }, 'Acme Mail'],
    ['else that of the pages', {}, { name: 'Acme' }, 'Acme'],
    ['else the host of the site', {}, {}, 'app.example.com'],
  ])('is %s', async (_, email, pages, expected) => {
    const { config } = checkConfig({ siteUrl, development: true, email, pages })
    const renderer = createMailRenderer({ config, clock: systemClock, logger: silentLogger })

    const { html } = await renderer.render(confirmation())

    expect(html).toContain(`for your ${expected} account`)
  })
})

describe('a subject', () => {
  it('is the configured one, in all languages', async () => {
    const renderer = rendererWith({ subjects: { confirmation: 'Welcome to {{ .SiteURL }}' } })

    const { subject, html } = await renderer.render({ ...confirmation(), languages: ['de'] })

    expect(subject).toBe('Welcome to https://app.example.com')
    expect(html).toContain('<html lang="de"')
  })

  it('is escaped like a page, one line, and of limited length, for all values (T17)', async () => {
    const subjectFor = async (name: string) => {
      const renderer = rendererWith({ subjects: { confirmation: 'Hi\r\n {{ .Data.name }}' } })
      const variables = { ...confirmation().variables, Data: { name } }
      return (await renderer.render({ ...confirmation(), variables })).subject
    }

    expect(await subjectFor('Ada')).toBe('Hi Ada')
    expect(await subjectFor("<O'Hara>")).toBe('Hi &lt;O&#39;Hara&gt;')
    expect(await subjectFor('a\r\nBcc: eve@example.com\u2028\0')).toMatch(
      /^Hi a Bcc: eve@example\.com/,
    )
    expect(await subjectFor('🙂'.repeat(9999))).toHaveLength(3 + 2 * 247)
  })

  it('is replaced by the built-in one if its data do not fit', async () => {
    const renderer = rendererWith({ subjects: { confirmation: 'Hi {{ .Data.team.name }}' } })

    const { subject } = await renderer.render({ ...confirmation(), languages: ['fr'] })

    expect(subject).toBe('Confirmez votre adresse e-mail')
  })
})
