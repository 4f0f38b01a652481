import { recordAlone } from '../../../accounts/acts/record-act.ts'
import { isCarrierRejection } from '../../../delivery/carriers/carrier.ts'
import { sampleMail } from '../../../delivery/mail/mail.ts'
import type { MessagePreview } from '../../../delivery/outbox/message.ts'
import { AuthError } from '../../../platform/errors/auth-error.ts'
import { validationFailed } from '../../../platform/errors/request-errors.ts'
import { Answer } from '../../../platform/http/answer.ts'
import { languages } from '../../../platform/kit/languages.ts'
import { type MailKind, mailKinds, mails } from '../../../platform/mails/mails.ts'
import { html, type Markup } from '../../../service/pages/html.ts'
import { privateHeaders } from '../../../service/pages/page-answer.ts'
import { button } from '../../pages/components/button.ts'
import { hidden } from '../../pages/components/field.ts'
import { facts } from '../components/data-table.ts'
import { filterForm } from '../components/filters.ts'
import { presentConsole } from '../console-layout.ts'
import { actionForm, type ConsoleRequest, consolePath } from '../console-request.ts'
import type { ConsoleRoute } from '../console-route.ts'

const path = '/console/mails'
const framePath = '/console/mails/preview'

const widths = ['phone', 'desktop'] as const
const schemes = ['light', 'dark'] as const

interface Chosen {
  kind: MailKind
  language: string
  width: (typeof widths)[number]
  scheme: (typeof schemes)[number]
}

/** Every mail with sample values, and a test to the operator's own address. */
const mailsRoute: ConsoleRoute = {
  path,
  show: async (request) => {
    const { t } = request
    const chosen = chosenIn(request, request.query)
    const rendered = await render(request, chosen)
    return presentConsole(request, {
      entry: 'mails',
      heading: t('nav.mails'),
      lead: t('mails.lead'),
      hasFrames: true,
      body: html`<section>
${filterForm(
  request,
  path,
  t('nav.mails'),
  [
    {
      name: 'kind',
      label: t('column.kind'),
      choices: mailKinds.map((kind) => [kind, nameOf(kind)] as const),
    },
    {
      name: 'language',
      label: t('mails.language'),
      choices: languagesOf(request, chosen.kind).map((one) => [one, nameOfLanguage(one)] as const),
    },
    {
      name: 'width',
      label: t('mails.width'),
      choices: widths.map((one) => [one, t(`mails.${one}`)] as const),
    },
    {
      name: 'scheme',
      label: t('mails.colors'),
      choices: schemes.map((one) => [one, t(`mails.${one}`)] as const),
    },
  ],
  t('mails.preview'),
)}
${rendered && 'subject' in rendered ? preview(request, chosen, rendered) : html`<p class="empty">${t('mails.none')}</p>`}
</section>`,
    })
  },
  actions: {
    test: async (request, form) => {
      const chosen = chosenIn(request, form)
      const { t } = request
      const { email } = request.user
      const outlet = request.deps.carriers.email
      if (email === null || outlet === null) return { rejected: t('mails.noRecipient') }
      const { siteUrl } = request.deps.config
      const mail = { ...sampleMail(chosen.kind, siteUrl, chosen.language), to: email }
      const { random, clock } = request.deps
      try {
        await outlet.send(mail, { id: random.uuid(), createdAt: clock.now() })
      } catch (error) {
        const reason = isCarrierRejection(error) ? error.message : 'it did not respond'
        throw new AuthError('validation_failed', 422, `The carrier accepted no mail: ${reason}`)
      }
      const { id: actorId, role: actorRole } = request.user
      await recordAlone(request.page.ctx, { action: 'test_mail_sent', actorId, actorRole })
      request.page.pre.consoleNotice = t('mails.sent', { email })
      return new Answer(303, { location: consolePath(request, path, { ...chosen }) })
    },
  },
}

/**
 * The document of a mail, in a frame of the console only. It runs no script, and a sandbox makes it
 * another origin.
 */
const mailFrameRoute: ConsoleRoute = {
  path: framePath,
  show: async (request) => {
    const chosen = chosenIn(request, request.query)
    const rendered = await render(request, chosen)
    const markup = rendered && 'html' in rendered ? rendered.html : ''
    const headers = {
      ...privateHeaders,
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; img-src data: https:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox",
    }
    return new Answer(200, headers, inScheme(markup, chosen.scheme))
  },
}

export const mailRoutes: readonly ConsoleRoute[] = [mailsRoute, mailFrameRoute]

/** Returns the name of a language in that language. */
const nameOfLanguage = (tag: string): string =>
  new Intl.DisplayNames([tag], { type: 'language' }).of(tag) ?? tag

const nameOf = (kind: MailKind): string => mails[kind].messageType.replaceAll(/[-_]/g, ' ')

/**
 * Returns the languages of the built-in mails, and further ones with a template of this kind. That
 * of the page is the first.
 */
function languagesOf({ deps, page }: ConsoleRequest, kind: MailKind): string[] {
  const templates = deps.config.email.templates[kind]
  const own = templates !== null && typeof templates === 'object' ? Object.keys(templates) : []
  const all = [...new Set<string>([...languages, ...own])]
  const isOfPage = (language: string) => language === page.language
  return [...all.filter(isOfPage), ...all.filter((one) => !isOfPage(one))]
}

/**
 * Reads the chosen mail. Absent values have the first choice.
 *
 * @throws AuthError `validation_failed` for any other value.
 */
function chosenIn(request: ConsoleRequest, given: URLSearchParams): Chosen {
  const one = <Value extends string>(name: string, choices: readonly Value[]): Value => {
    const text = given.get(name) || choices[0]
    const found = choices.find((choice) => choice === text)
    if (found === undefined) throw validationFailed(`${name}: has to be one of the list`)
    return found
  }
  const kind = one('kind', mailKinds)
  return {
    kind,
    language: one('language', languagesOf(request, kind)),
    width: one('width', widths),
    scheme: one('scheme', schemes),
  }
}

async function render(
  { deps: { carriers, config } }: ConsoleRequest,
  { kind, language }: Chosen,
): Promise<MessagePreview | null> {
  if (carriers.email === null) return null
  return carriers.email.preview(sampleMail(kind, config.siteUrl, language))
}

function preview(
  request: ConsoleRequest,
  chosen: Chosen,
  { subject, text }: { subject: string; text: string },
): Markup {
  const { t } = request
  const { email } = request.user
  const parameters = { ...chosen }
  return html`${facts({ [t('mails.subject')]: html`<span lang="${chosen.language}">${subject}</span>` })}
<div class="preview" role="region" aria-label="${t('mails.preview')}" tabindex="0"><iframe class="${chosen.width}" title="${subject}" sandbox src="${consolePath(request, framePath, parameters)}"></iframe></div>
<details><summary>${t('mails.text')}</summary><pre class="mono" tabindex="0" lang="${chosen.language}">${text}</pre></details>
${
  email !== null &&
  actionForm(request, {
    path,
    action: 'test',
    label: t('mails.test'),
    body: html`${Object.entries(parameters).map(([name, value]) => hidden(name, value))}${button(t('mails.testTo', { email }), 'secondary')}`,
  })
}`
}

/** Applies the rules for the chosen color scheme, whatever that of the browser is. */
const inScheme = (markup: string, scheme: Chosen['scheme']): string =>
  markup.replaceAll(
    /@media\s*\(\s*prefers-color-scheme\s*:\s*(dark|light)\s*\)/g,
    (_, wanted: string) => (wanted === scheme ? '@media all' : '@media not all'),
  )
