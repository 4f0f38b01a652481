import { Answer } from '../../platform/http/answer.ts'
import { sha256Hex } from '../../platform/kit/digest.ts'
import { isPlainOrigin } from '../../platform/kit/plain-host.ts'
import { html, type Markup } from '../../service/pages/html.ts'
import { privateHeaders } from '../../service/pages/page-answer.ts'
import { widgetOf } from './components/captcha.ts'
import { notice } from './components/notice.ts'
import { hasErrors, type PageFormState } from './form-state.ts'
import { type PageRequest, pathTo, targetOf } from './page-request.ts'
import { pageScript } from './page-script.ts'
import { pageStyle } from './page-style.ts'
import type { TextKey } from './texts/en.ts'
import { nameOfLanguage } from './texts/texts.ts'

export const stylePath = '/pages/style.css'
export const scriptPath = '/pages/script.js'

/** Returns a text that changes with the content of a file. */
export const version = (content: string): string => sha256Hex(content).slice(0, 12)
const styleVersion = version(pageStyle)
const scriptVersion = version(pageScript)

export interface PageContent {
  heading: string
  /** The heading with elements, in the place of that without. The title has none. */
  headingMarkup?: Markup
  /** A sentence below the heading. */
  lead?: Markup | string | undefined
  body: Markup | readonly (Markup | null)[]
  /** The entry of the account's navigation that is the present page. */
  account?: AccountPage
  status?: number
  /** Default true. */
  hasLanguageSwitch?: boolean
}

export type AccountPage =
  | 'profile'
  | 'security'
  | 'sessions'
  | 'identities'
  | 'applications'
  | 'data'

const accountPaths: Readonly<Record<AccountPage, string>> = {
  profile: '/account',
  security: '/account/security',
  sessions: '/account/sessions',
  identities: '/account/identities',
  applications: '/account/applications',
  data: '/account/data',
}

export function presentPage(page: PageRequest, content: PageContent, state: PageFormState): Answer {
  const { text, language, pre } = page
  const { heading, headingMarkup, lead, body, account, hasLanguageSwitch = true } = content
  const done = pre.notice
  delete pre.notice
  const isFailed = hasErrors(state)
  const hasFieldErrors = Object.keys(state.errors).length > 0
  return presentDocument(page, {
    title: titleOf(page, heading, { isFailed, done: done && text(done) }),
    language,
    direction: text('direction'),
    status: content.status ?? state.status,
    body: html`<body${account && html` class="wide"`}>
<header class="site">${siteMark(page)}${account && accountMenu(page, account)}</header>
<main>
<h1>${headingMarkup ?? heading}</h1>
${lead && html`<p class="lead">${lead}</p>`}
${done && notice('success', text(done))}
${state.error !== null && notice('error', state.error, !hasFieldErrors)}
${body}
${account && linkToApplication(page)}
</main>
<footer>${hasLanguageSwitch && languageSwitch(page)}</footer>
</body>`,
  })
}

/**
 * Returns the title of a page. Screen readers read it first, so it begins with the result of the
 * form that led here.
 *
 * @param done the notice of a success.
 */
export function titleOf(
  { host, text }: PageRequest,
  heading: string,
  { isFailed, done }: { isFailed: boolean; done: string | undefined },
): string {
  const result = isFailed ? text('error.prefix') : done
  return `${result ? `${result} ` : ''}${heading} – ${host.siteName}`
}

/** An HTML document with the files and headers of the pages. */
interface PageDocument {
  title: string
  language: string
  direction: string
  status: number
  /** The element `body`. */
  body: Markup
  /** Further files, loaded after those of the pages. */
  files?: { style: string; script: string }
  /** Whether it may contain documents of this origin in frames. */
  hasFrames?: boolean
}

/** Presents a document. No other origin may frame, read or script it. */
export function presentDocument(page: PageRequest, given: PageDocument): Answer {
  const { host, nonce } = page
  const { title, language, direction, status, body, files, hasFrames = false } = given
  const theme = themeOf(page)
  const widget = page.hasCaptcha ? widgetOf(page) : null
  const document = html`<!doctype html>
<html lang="${language}" dir="${direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" nonce="${nonce}" href="${host.root}${stylePath}?v=${styleVersion}">
${files && html`<link rel="stylesheet" nonce="${nonce}" href="${host.root}${files.style}">`}
${theme && html`<style nonce="${nonce}">${theme}</style>`}
${stylesheet(page)}
<script nonce="${nonce}" src="${host.root}${scriptPath}?v=${scriptVersion}" defer></script>
${files && html`<script nonce="${nonce}" src="${host.root}${files.script}" defer></script>`}
${widget && html`<script nonce="${nonce}" src="${widget.script}" async defer></script>`}
</head>
${body}
</html>
`
  const headers = {
    ...privateHeaders,
    // Browsers report the origin of a form only with a referrer policy that permits it.
    'referrer-policy': 'same-origin',
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policyOf(page, hasFrames),
    'x-frame-options': 'DENY',
    // A text fragment would choose the button that a window above the page uncovers.
    'document-policy': 'force-load-at-top',
    vary: 'cookie, accept-language',
  }
  return new Answer(status, headers, document.markup)
}

export function siteMark({ host }: PageRequest): Markup {
  const { logoUrl } = host.deps.config.pages
  return logoUrl === null
    ? html`<p class="name">${host.siteName}</p>`
    : html`<p class="name"><img src="${logoUrl}" alt="${host.siteName}"></p>`
}

/** A link from the account to the page of the application that led to it, else to its site. */
function linkToApplication(page: PageRequest): Markup | null {
  if (page.redirectTo === undefined && page.host.home !== null) return null
  const text = page.text('account.leave', { site: page.host.siteName })
  return html`<p class="foot"><a href="${targetOf(page)}">${text}</a></p>`
}

function accountMenu(page: PageRequest, current: AccountPage): Markup {
  const keys: Record<AccountPage, TextKey> = {
    profile: 'nav.profile',
    security: 'nav.security',
    sessions: 'nav.sessions',
    identities: 'nav.identities',
    applications: 'nav.applications',
    data: 'nav.data',
  }
  const { oauthServer } = page.host.deps.config
  const entries = (Object.entries(keys) as [AccountPage, TextKey][]).filter(
    ([name]) => name !== 'applications' || oauthServer.enabled,
  )
  return html`<nav aria-label="${page.text('nav.label')}"><ul>
${entries.map(
  ([name, key]) =>
    html`<li><a href="${pathTo(page, accountPaths[name])}"${name === current && html` aria-current="page"`}>${page.text(key)}</a></li>`,
)}
</ul></nav>`
}

/** Links to the page in the other languages. They keep the query. */
export function languageSwitch({ host, event, language, text }: PageRequest): Markup {
  const entries = host.texts.languages.map((one) => {
    const name = nameOfLanguage(one)
    if (one === language)
      return html`<li><span lang="${one}" aria-current="true">${name}</span></li>`
    const query = new URLSearchParams(event.url.searchParams)
    query.set('lang', one)
    query.delete('do')
    return html`<li><a lang="${one}" hreflang="${one}" href="?${query.toString()}">${name}</a></li>`
  })
  return html`<nav aria-label="${text('language.label')}"><ul>${entries}</ul></nav>`
}

/** The custom properties that the configuration sets. They were validated as values of CSS. */
function themeOf({ host }: PageRequest): Markup | null {
  const names = {
    accent: '--accent',
    accentText: '--accent-text',
    background: '--background',
    surface: '--surface',
    text: '--text',
    radius: '--radius',
  } as const
  const { theme } = host.deps.config.pages
  const set = (Object.keys(names) as (keyof typeof names)[]).flatMap((key) =>
    theme[key] === null ? [] : [`${names[key]}:${theme[key]}`],
  )
  return set.length > 0 ? { markup: `:root{${set.join(';')}}` } : null
}

function stylesheet({ host, nonce }: PageRequest): Markup | null {
  const { stylesheetUrl } = host.deps.config.pages
  return stylesheetUrl === null
    ? null
    : html`<link rel="stylesheet" nonce="${nonce}" href="${stylesheetUrl}">`
}

/**
 * Returns the content security policy. `form-action` is left out: browsers compare it with each
 * redirect, and forms end at applications and providers.
 */
function policyOf(page: PageRequest, hasFrames: boolean): string {
  const { host, nonce } = page
  const { logoUrl } = host.deps.config.pages
  const { sources } = (page.hasCaptcha && widgetOf(page)) || { sources: null }
  const others = sources === null ? '' : ` ${sources}`
  const frames = [hasFrames && "'self'", sources].filter(Boolean).join(' ')
  const logos = logoUrl === null ? [] : [new URL(logoUrl).origin]
  // An origin with other characters, such as `;`, could add directives or permit more.
  const images = ['data:', ...[...logos, ...page.imageOrigins].filter(isPlainOrigin)].join(' ')
  return [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'${others}`,
    `script-src 'nonce-${nonce}'${others}`,
    `connect-src 'self'${others}`,
    ...(frames === '' ? [] : [`frame-src ${frames}`]),
    `img-src ${images}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** Serves one of the two files of the pages. Their URLs change with their content. */
export function presentFile(type: 'text/css' | 'text/javascript', content: string): Answer {
  return new Answer(
    200,
    {
      'content-type': `${type}; charset=utf-8`,
      'cache-control': 'public, max-age=31536000, immutable',
      'cross-origin-resource-policy': 'same-origin',
    },
    content,
  )
}
