import { Answer } from '../../platform/http/answer.ts'
import { html, type Markup, verbatim } from './html.ts'

/** One page. Style and script are texts of ours, free of anything that came from elsewhere. */
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

/** No other page may frame, read or be told of it, and nothing runs in it but its own script. */
export const privateHeaders = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

/** @param nonce is good for this answer alone. */
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
 * A form that is answered by a redirect may be sent anywhere: browsers hold `form-action` against
 * each page on the way, and where an application sends people on to is not ours to know.
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
