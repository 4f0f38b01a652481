import type { Config } from '../../platform/config/config.ts'
import { Answer } from '../../platform/http/answer.ts'
import { html, type Markup, verbatim } from './html.ts'

/** One page. Style and script are our own texts, without external data. */
export interface HtmlPage {
  title: string
  /** Default: English. */
  language?: string
  direction?: 'ltr' | 'rtl'
  style: string
  script?: string
  /** Whether it submits a form. */
  submits?: boolean
  /**
   * Whether its form is checked by its origin, which browsers report only with a referrer policy.
   * No other origin learns the URL either way. @see Fetch Standard §4.6
   */
  reportsOrigin?: boolean
  body: Markup
  status?: number
}

/** Headers by which no other page may frame, read or be notified of it. */
export const privateHeaders = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

/**
 * @param nonce used for this response only.
 */
export function answerPage(
  {
    title,
    language = 'en',
    direction = 'ltr',
    style,
    script,
    submits,
    reportsOrigin,
    body,
    status = 200,
  }: HtmlPage,
  nonce: string,
): Answer {
  const document = html`<!doctype html>
<html lang="${language}" dir="${direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
<style nonce="${nonce}">${verbatim(style)}</style>
</head>
${body}
${script && html`<script nonce="${nonce}">${verbatim(script)}</script>`}
</html>
`
  const headers = {
    ...privateHeaders,
    ...(reportsOrigin && { 'referrer-policy': 'same-origin' }),
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy(nonce, submits),
    'x-frame-options': 'DENY',
  }
  return new Answer(status, headers, document.markup)
}

/**
 * Returns the content security policy. A form whose response redirects may be submitted to any
 * origin: browsers compare `form-action` with each redirect, and the redirect targets of
 * applications vary.
 */
const policy = (nonce: string, submits = false): string =>
  [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    `script-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    "frame-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    ...(submits ? [] : ["form-action 'none'"]),
    "frame-ancestors 'none'",
  ].join('; ')

/** Returns the name of the application: that of the pages, else the one in mails. */
export const siteNameOf = ({
  email,
  siteUrl,
  pages,
}: Pick<Config, 'email' | 'siteUrl' | 'pages'>): string =>
  pages.name ?? email.from.name ?? URL.parse(siteUrl)?.host ?? siteUrl
