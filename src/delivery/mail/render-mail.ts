import type { Config } from '../../platform/config/config.ts'
import { findProviderConfig } from '../../platform/config/custom-providers.ts'
import { providerLabels } from '../../platform/config/provider-names.ts'
import type {
  LayoutTexts,
  MailContent,
  MailTemplate,
  ResolvedMailTemplate,
  TemplateMail,
} from '../../platform/config/sections/email.ts'
import { escapeHtml } from '../../platform/go-template/escape.ts'
import { parseTemplate } from '../../platform/go-template/parse-template.ts'
import { renderHtml, renderText } from '../../platform/go-template/render-template.ts'
import type { Template } from '../../platform/go-template/syntax.ts'
import { TemplateError } from '../../platform/go-template/template-error.ts'
import type { Clock } from '../../platform/kit/clock.ts'
import { bestLanguage, type Language, languages } from '../../platform/kit/languages.ts'
import { type MailKind, mails } from '../../platform/mails/mails.ts'
import { describeFault } from '../../platform/observability/describe-fault.ts'
import type { Logger } from '../../platform/observability/logger.ts'
import { type BodyTemplates, createBodyTemplates } from './body-templates.ts'
import { type BuiltInMail, createBuiltInMails } from './built-in-mails.ts'
import { callTemplate } from './call-template.ts'
import { type OwnPhrases, pageLayout, replaceablePhrases, textLayout } from './layout.ts'
import type { Mail, RenderedMail } from './mail.ts'

export interface MailRendererNeeds {
  config: Pick<Config, 'siteUrl' | 'development' | 'providers' | 'pages'> & {
    email: Pick<Config['email'], 'from' | 'subjects' | 'templates' | 'templateFetch'>
  }
  clock: Clock
  logger: Logger
}

/** Renders mails. */
export interface MailRenderer {
  /**
   * Renders a mail in the first supported language of the user.
   *
   * If the operator's own template is unavailable, or does not fit the user's data, the built-in
   * one is used and the log reports it: a template must not prevent account access.
   */
  render(mail: Mail): Promise<RenderedMail>
  /** Stops fetching templates. */
  close(): Promise<void>
}

/** The components of rendering. */
interface Rendering {
  config: MailRendererNeeds['config']
  logger: Logger
  bodies: BodyTemplates
  findBuiltIn: (kind: MailKind, language: Language) => BuiltInMail
  findOwnSubject: (kind: MailKind) => Template
  siteName: string
}

export function createMailRenderer(needs: MailRendererNeeds): MailRenderer {
  const { config, logger } = needs
  const rendering: Rendering = {
    config,
    logger,
    bodies: createBodyTemplates(needs),
    findBuiltIn: createBuiltInMails(),
    findOwnSubject: createOwnSubjects(config.email.subjects),
    siteName: mailSiteNameOf(config),
  }
  return {
    render: async (mail) => {
      const { subject, html, text } = await contentOf(rendering, mail)
      return { kind: mail.kind, to: mail.to, subject: oneLine(subject), html, text }
    },
    close: rendering.bodies.close,
  }
}

/** Returns the name of the application in mails: that of the sender, else that of the pages. */
const mailSiteNameOf = ({ email, pages, siteUrl }: MailRendererNeeds['config']): string =>
  email.from.name ?? pages.name ?? URL.parse(siteUrl)?.host ?? siteUrl

async function contentOf(rendering: Rendering, mail: Mail): Promise<MailContent> {
  const { config, bodies } = rendering
  const { template, language } = chooseTemplate(config.email.templates[mail.kind], mail.languages)
  if (typeof template === 'function') return functionContent(rendering, mail, template, language)
  const body = template === null ? null : await bodies.find(mail.kind, template)
  if (body) return orBuiltIn(rendering, mail, () => ownContent(rendering, mail, body))
  // The subject of an unavailable body would not fit the built-in one.
  const isMissing = template !== null
  const isDefault = config.email.subjects[mail.kind] === mails[mail.kind].texts.en.subject
  if (isMissing || isDefault) return builtInContent(rendering, mail)
  return orBuiltIn(rendering, mail, async () => ({
    ...builtInContent(rendering, mail),
    subject: ownSubject(rendering, mail),
  }))
}

/** A template, and the language in which the mail is rendered. */
interface ChosenTemplate {
  template: string | MailTemplate | null
  language: string
}

/** Chooses the first language with a template or a built-in mail. */
function chooseTemplate(
  given: ResolvedMailTemplate | null,
  tags: readonly string[],
): ChosenTemplate {
  if (given === null || typeof given !== 'object') {
    return { template: given, language: bestLanguage(tags) }
  }
  const primaries = tags.map((tag) => tag.toLowerCase().split('-')[0] ?? '')
  const isKnown = (language: string) =>
    Object.hasOwn(given, language) || languages.some((builtIn) => builtIn === language)
  const language = primaries.find(isKnown) ?? languages[0]
  const template = Object.hasOwn(given, language) ? given[language] : undefined
  return { template: template ?? null, language }
}

async function ownContent(rendering: Rendering, mail: Mail, body: Template): Promise<MailContent> {
  const { htmlToText } = await import('./html-to-text.ts')
  const html = renderHtml(body, mail.variables)
  return { subject: ownSubject(rendering, mail), html, text: htmlToText(html) }
}

const ownSubject = ({ findOwnSubject }: Rendering, { kind, variables }: Mail): string =>
  renderHtml(findOwnSubject(kind), variables)

/** Renders by the application's function. Uses the built-in mail if it fails. */
async function functionContent(
  rendering: Rendering,
  mail: Mail,
  template: MailTemplate,
  language: string,
): Promise<MailContent> {
  try {
    return await callTemplate(template, templateMail(rendering, mail, language))
  } catch (error) {
    const event = 'templatemailer_template_execute_error'
    const fields = { event, mail_type: mails[mail.kind].messageType, error: describeFault(error) }
    rendering.logger.error(fields, 'mail template function failed')
    return builtInContent(rendering, mail)
  }
}

/** Returns a copy of the mail, which a function may change without an effect on the stored one. */
function templateMail(rendering: Rendering, mail: Mail, language: string): TemplateMail {
  const inLanguage = { ...mail, languages: [language] }
  return {
    kind: mail.kind,
    to: mail.to,
    language,
    languages: [...mail.languages],
    variables: structuredClone(mail.variables),
    siteName: rendering.siteName,
    builtIn: builtInContent(rendering, inLanguage),
    layout: (texts) => layoutContent(rendering, inLanguage, texts),
    escapeHtml: (text) => escapeHtml(String(text)),
  }
}

/** The texts of a layout as variables, so that they are escaped, and not read as templates. */
const layoutTexts = {
  subject: '',
  heading: '{{ .LayoutTexts.heading }}',
  message: '{{ .LayoutTexts.message }}',
  closing: '{{ .LayoutTexts.closing }}',
}

function layoutContent(rendering: Rendering, mail: Mail, texts: LayoutTexts): MailContent {
  const language = bestLanguage(mail.languages)
  const button = texts.button === undefined ? {} : { button: '{{ .LayoutTexts.button }}' }
  const own: OwnPhrases = Object.fromEntries(
    replaceablePhrases
      .filter((name) => texts[name] !== undefined)
      .map((name) => [name, `{{ .LayoutTexts.${name} }}`]),
  )
  const given = { ...layoutTexts, ...button }
  const data = { ...dataOf(rendering, mail), LayoutTexts: { ...texts } }
  return {
    subject: texts.subject ?? texts.heading,
    html: renderHtml(parseTemplate(pageLayout(language, given, own)), data),
    text: renderText(parseTemplate(textLayout(language, given, own)), data),
  }
}

function builtInContent(rendering: Rendering, mail: Mail): MailContent {
  const { subject, page, text } = rendering.findBuiltIn(mail.kind, bestLanguage(mail.languages))
  const data = dataOf(rendering, mail)
  return {
    subject: renderHtml(subject, data),
    html: renderHtml(page, data),
    text: renderText(text, data),
  }
}

/** Local parts that no reader, and no mail program, can mistake for a link or a sentence. */
const plainAddress = /^[\p{L}\p{M}\p{N}._+'-]+@/u

/** Returns the variables of built-in mails. Addresses of others that look like a link are left out. */
function dataOf(rendering: Rendering, { to, variables }: Mail): Record<string, unknown> {
  const { Provider, ProviderName } = variables
  const isShown = (address: string) => address === to || plainAddress.test(address)
  const addresses = (['Email', 'NewEmail', 'OldEmail'] as const).flatMap((name) => {
    const address = variables[name]
    return address === undefined ? [] : [[name, isShown(address) ? address : ''] as const]
  })
  return {
    ...variables,
    ...Object.fromEntries(addresses),
    ...(Provider !== undefined && {
      ProviderName: ProviderName ?? providerNameOf(rendering, Provider),
    }),
    SiteName: rendering.siteName,
    Recipient: to,
  }
}

/** Uses the built-in template if the data do not fit the operator's. */
async function orBuiltIn(
  rendering: Rendering,
  mail: Mail,
  render: () => Promise<MailContent>,
): Promise<MailContent> {
  try {
    return await render()
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    const event = 'templatemailer_template_execute_error'
    const fields = { event, mail_type: mails[mail.kind].messageType, error: error.message }
    rendering.logger.error(fields, 'mail template does not fit its data')
    return builtInContent(rendering, mail)
  }
}

function createOwnSubjects(subjects: Record<MailKind, string>): (kind: MailKind) => Template {
  const parsed = new Map<MailKind, Template>()
  return (kind) => {
    const subject = parsed.get(kind) ?? parseTemplate(subjects[kind])
    parsed.set(kind, subject)
    return subject
  }
}

const maxSubjectLength = 250

/** Removes line breaks: a subject is a header, and a line break would begin another. */
const oneLine = (subject: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are removed
  [...subject.replace(/[\s\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ').trim()]
    .slice(0, maxSubjectLength)
    .join('')

/**
 * Returns the display name of a provider; its id without prefix, where this process does not know
 * the provider.
 */
function providerNameOf({ config }: Rendering, provider: string): string {
  const labels: Readonly<Record<string, string>> = providerLabels
  return (
    findProviderConfig(config, provider)?.definition?.label ??
    (Object.hasOwn(labels, provider) ? labels[provider] : undefined) ??
    provider.replace(/^custom:/, '')
  )
}
