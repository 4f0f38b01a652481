import type { AuthError } from '../../platform/errors/auth-error.ts'
import type { Answer } from '../../platform/http/answer.ts'
import { html, type Markup } from '../../service/pages/html.ts'
import { button } from '../pages/components/button.ts'
import { form } from '../pages/components/form.ts'
import { notice } from '../pages/components/notice.ts'
import { presentDocument, siteMark, version } from '../pages/layout.ts'
import { pathTo } from '../pages/page-request.ts'
import type { ConsoleRequest } from './console-request.ts'
import { consoleScript } from './console-script.ts'
import { consoleStyle } from './console-style.ts'

export const consoleStylePath = '/console/style.css'
export const consoleScriptPath = '/console/script.js'

const files = {
  style: `${consoleStylePath}?v=${version(consoleStyle)}`,
  script: `${consoleScriptPath}?v=${version(consoleScript)}`,
}

/** The pages of the navigation. */
const entries = {
  overview: ['/console', 'Overview'],
  users: ['/console/users', 'Users'],
  clients: ['/console/clients', 'OAuth clients'],
  audit: ['/console/audit', 'Audit log'],
  outbox: ['/console/outbox', 'Outbox'],
  mails: ['/console/mails', 'Mails'],
  decisions: ['/console/decisions', 'Decisions'],
  limits: ['/console/limits', 'Limits'],
  keys: ['/console/keys', 'Signing keys'],
  configuration: ['/console/configuration', 'Configuration'],
  health: ['/console/health', 'Health'],
} as const

export type ConsoleEntry = keyof typeof entries

interface ConsoleContent {
  entry: ConsoleEntry | null
  heading: string
  lead?: Markup | string | undefined
  /** Links above the heading, to the pages that contain this one. */
  trail?: readonly { label: string; path: string }[]
  body: Markup | readonly (Markup | null)[]
  hasFrames?: boolean
  status?: number
}

/** Presents a page of the console. */
export function presentConsole(request: ConsoleRequest, content: ConsoleContent): Answer {
  const { page, state, user, mayChange } = request
  const { entry, heading, lead, trail, body, hasFrames = false } = content
  const done = page.pre.consoleNotice
  delete page.pre.consoleNotice
  return presentDocument(page, {
    title: `${state.error === null ? '' : 'Error: '}${heading} – ${page.host.siteName} console`,
    language: 'en',
    direction: 'ltr',
    status: content.status ?? state.status,
    files,
    hasFrames,
    body: html`<body class="console">
<a class="skip" href="#main">Skip to content</a>
<header class="bar">${siteMark(page)}<p class="who">${user.email ?? user.id}${mayChange ? null : html` <span class="badge">Viewer</span>`}</p>
${form(page, { path: '/signed-out', action: 'sign-out', body: button('Sign out', 'quiet'), className: 'inline' })}</header>
<nav class="side" aria-label="Console"><ul>
${Object.entries(entries).map(
  ([name, [path, label]]) =>
    html`<li><a href="${pathTo({ host: page.host, redirectTo: undefined }, path)}"${name === entry && html` aria-current="page"`}>${label}</a></li>`,
)}
</ul></nav>
<main id="main" tabindex="-1">
${trail && html`<p class="trail">${trail.map(({ label, path }) => html`<a href="${pathTo({ host: page.host, redirectTo: undefined }, path)}">${label}</a> <span aria-hidden="true">›</span> `)}</p>`}
<h1>${heading}</h1>
${lead && html`<p class="lead">${lead}</p>`}
${done && notice('success', done)}
${state.error !== null && notice('error', state.error, true)}
${body}
</main>
</body>`,
  })
}

/** Presents the error of a request that the console rejects. */
export const presentConsoleError = (request: ConsoleRequest, error: AuthError): Answer =>
  presentConsole(
    { ...request, state: { ...request.state, error: error.message } },
    { entry: null, heading: 'The request was rejected', status: error.status, body: [] },
  )
