import type { AuthError } from '../../platform/errors/auth-error.ts'
import type { Answer } from '../../platform/http/answer.ts'
import { html, type Markup } from '../../service/pages/html.ts'
import { button } from '../pages/components/button.ts'
import { form } from '../pages/components/form.ts'
import { notice } from '../pages/components/notice.ts'
import { languageSwitch, presentDocument, siteMark, titleOf, version } from '../pages/layout.ts'
import { type ConsoleRequest, consolePath } from './console-request.ts'
import { consoleScript } from './console-script.ts'
import { consoleStyle } from './console-style.ts'
import type { ConsoleText } from './texts/texts.ts'

export const consoleStylePath = '/console/style.css'
export const consoleScriptPath = '/console/script.js'

const files = {
  style: `${consoleStylePath}?v=${version(consoleStyle)}`,
  script: `${consoleScriptPath}?v=${version(consoleScript)}`,
}

/** The pages of the navigation, in groups. */
const groups = {
  people: ['overview', 'users'],
  access: ['clients', 'providers', 'keys'],
  messages: ['outbox', 'mails'],
  insight: ['audit', 'decisions', 'limits', 'configuration', 'health'],
} as const

type Group = keyof typeof groups
export type ConsoleEntry = (typeof groups)[Group][number]

const pathOf = (entry: ConsoleEntry): string =>
  entry === 'overview' ? '/console' : `/console/${entry}`

interface ConsoleContent {
  entry: ConsoleEntry | null
  heading: string
  lead?: Markup | string | undefined
  /** Links above the heading, to the pages that contain this one. */
  trail?: readonly { label: string; path: string }[]
  /** Links to further pages, beside the heading. */
  tools?: Markup | null | undefined | false
  body: Markup | readonly (Markup | null)[]
  hasFrames?: boolean
  status?: number
}

/** Presents a page of the console. */
export function presentConsole(request: ConsoleRequest, content: ConsoleContent): Answer {
  const { page, state, user, mayChange, t } = request
  const { entry, heading, lead, trail, tools, body, hasFrames = false } = content
  const done = page.pre.consoleNotice
  delete page.pre.consoleNotice
  return presentDocument(page, {
    title: titleOf(page, heading, { isFailed: state.error !== null, done }),
    language: page.language,
    direction: page.text('direction'),
    status: content.status ?? state.status,
    files,
    hasFrames,
    body: html`<body class="console">
<a class="skip" href="#main">${t('layout.skip')}</a>
<header class="bar">${siteMark(page)}<p class="who">${user.email ?? user.id}${mayChange ? null : html` <span class="badge soft">${t('layout.viewer')}</span>`}</p>
${form(page, { path: '/signed-out', action: 'sign-out', body: button(t('layout.signOut'), 'quiet'), className: 'inline' })}</header>
${navigation(request, entry)}
<main id="main" tabindex="-1">
${trail && html`<p class="trail">${trail.map(({ label, path }) => html`<a href="${consolePath(request, path)}">${label}</a> <span aria-hidden="true">›</span> `)}</p>`}
<div class="head"><h1>${heading}</h1>${tools && html`<div class="tools">${tools}</div>`}</div>
${lead && html`<p class="lead">${lead}</p>`}
${done && notice('success', done)}
${state.error !== null && html`${notice('error', state.error, true)}${state.detail !== null && html`<p class="error" lang="en">${state.detail}</p>`}`}
<div class="content">${body}</div>
</main>
<footer>${languageSwitch(page)}</footer>
</body>`,
  })
}

function navigation(request: ConsoleRequest, current: ConsoleEntry | null): Markup {
  const { t } = request
  return html`<nav class="side" aria-label="${t('layout.console')}">
${(Object.keys(groups) as Group[]).map(
  (group) => html`<ul aria-label="${t(`nav.group.${group}`)}">
${groups[group].map(
  (name: ConsoleEntry) =>
    html`<li><a href="${consolePath(request, pathOf(name))}"${name === current && html` aria-current="page"`}>${t(`nav.${name}`)}</a></li>`,
)}</ul>`,
)}</nav>`
}

/** Error codes whose messages name the field or the conflicting value. */
const preciseCodes: ReadonlySet<string> = new Set(['validation_failed', 'conflict'])

/**
 * Returns the sentence for an error in the language of the request, and the message of the API, in
 * English, where it contains more facts.
 */
export function describeError(
  t: ConsoleText,
  { code, message }: AuthError,
): { sentence: string | null; detail: string | null } {
  const sentence = t.error(code)
  return { sentence, detail: sentence === null || preciseCodes.has(code) ? message : null }
}

/** Presents the error of a request that the console rejects. */
export function presentConsoleError(request: ConsoleRequest, error: AuthError): Answer {
  const { t, state } = request
  const { sentence, detail } =
    error.code === 'not_admin'
      ? { sentence: t('error.notPermitted'), detail: null }
      : describeError(t, error)
  const shown = { ...state, error: sentence ?? t('error.rejected'), detail }
  return presentConsole(
    { ...request, state: shown },
    { entry: null, heading: t('error.heading'), status: error.status, body: [] },
  )
}
