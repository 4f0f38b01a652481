import type { Config } from '../../platform/config/config.ts'
import { parseTemplate } from '../../platform/go-template/parse-template.ts'
import { renderHtml, renderText } from '../../platform/go-template/render-template.ts'
import type { Template } from '../../platform/go-template/syntax.ts'
import { TemplateError } from '../../platform/go-template/template-error.ts'
import type { Clock } from '../../platform/kit/clock.ts'
import { bestLanguage, type Language } from '../../platform/kit/languages.ts'
import { type MailKind, mails } from '../../platform/mails/mails.ts'
import type { Logger } from '../../platform/observability/logger.ts'
import { type BodyTemplates, createBodyTemplates } from './body-templates.ts'
import { type BuiltInMail, createBuiltInMails } from './built-in-mails.ts'
import type { Mail, RenderedMail } from './mail.ts'

export interface MailRendererNeeds {
  config: {
    siteUrl: string
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

/** The rendered content of a mail. */
type Content = Pick<RenderedMail, 'subject' | 'html' | 'text'>

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
    siteName: config.email.from.name ?? URL.parse(config.siteUrl)?.host ?? config.siteUrl,
  }
  return {
    render: async (mail) => {
      const { subject, html, text } = await contentOf(rendering, mail)
      return { kind: mail.kind, to: mail.to, subject: oneLine(subject), html, text }
    },
    close: rendering.bodies.close,
  }
}

async function contentOf(rendering: Rendering, mail: Mail): Promise<Content> {
  const { config, bodies } = rendering
  const body = await bodies.find(mail.kind)
  if (body) return orBuiltIn(rendering, mail, () => ownContent(rendering, mail, body))
  // The subject of an unavailable body would not fit the built-in one.
  const isMissing = config.email.templates[mail.kind] !== null
  const isDefault = config.email.subjects[mail.kind] === mails[mail.kind].texts.en.subject
  if (isMissing || isDefault) return builtInContent(rendering, mail)
  return orBuiltIn(rendering, mail, async () => ({
    ...builtInContent(rendering, mail),
    subject: ownSubject(rendering, mail),
  }))
}

async function ownContent(rendering: Rendering, mail: Mail, body: Template): Promise<Content> {
  const { htmlToText } = await import('./html-to-text.ts')
  const html = renderHtml(body, mail.variables)
  return { subject: ownSubject(rendering, mail), html, text: htmlToText(html) }
}

const ownSubject = ({ findOwnSubject }: Rendering, { kind, variables }: Mail): string =>
  renderHtml(findOwnSubject(kind), variables)

function builtInContent({ findBuiltIn, siteName }: Rendering, mail: Mail): Content {
  const { subject, page, text } = findBuiltIn(mail.kind, bestLanguage(mail.languages))
  const { Provider } = mail.variables
  const data = {
    ...mail.variables,
    ...(Provider !== undefined && { Provider: providerName(Provider) }),
    SiteName: siteName,
    Recipient: mail.to,
  }
  return {
    subject: renderHtml(subject, data),
    html: renderHtml(page, data),
    text: renderText(text, data),
  }
}

/** Uses the built-in template if the data do not fit the operator's. */
async function orBuiltIn(
  rendering: Rendering,
  mail: Mail,
  render: () => Promise<Content>,
): Promise<Content> {
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

/** Names that are not the capitalised id of the provider. */
const displayNames = new Map([
  ['azure', 'Microsoft'],
  ['fly', 'Fly.io'],
  ['github', 'GitHub'],
  ['gitlab', 'GitLab'],
  ['linkedin', 'LinkedIn'],
  ['linkedin_oidc', 'LinkedIn'],
  ['slack_oidc', 'Slack'],
  ['workos', 'WorkOS'],
])

/** Returns the display name of a provider; by default its id, capitalised. */
const providerName = (provider: string): string =>
  displayNames.get(provider) ?? provider.slice(0, 1).toUpperCase() + provider.slice(1)
