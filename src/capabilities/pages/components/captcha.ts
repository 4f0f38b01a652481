import type { CaptchaProvider } from '../../../platform/config/sections/security.ts'
import { html, type Markup } from '../../../service/pages/html.ts'
import type { PageRequest } from '../page-request.ts'

/** The widget of a captcha provider. */
interface Widget {
  script: string
  className: string
  /** The field that the widget adds to its form. */
  field: string
  /** The origins and URLs that the policy of the page permits. */
  sources: string
}

const recaptcha = {
  className: 'g-recaptcha',
  field: 'g-recaptcha-response',
  sources: 'https://www.google.com/recaptcha/ https://www.gstatic.com/recaptcha/',
}

const widgets: Readonly<Record<CaptchaProvider, Widget>> = {
  hcaptcha: {
    script: 'https://js.hcaptcha.com/1/api.js',
    className: 'h-captcha',
    field: 'h-captcha-response',
    sources: 'https://hcaptcha.com https://*.hcaptcha.com',
  },
  turnstile: {
    script: 'https://challenges.cloudflare.com/turnstile/v0/api.js',
    className: 'cf-turnstile',
    field: 'cf-turnstile-response',
    sources: 'https://challenges.cloudflare.com',
  },
  recaptcha_v2: { ...recaptcha, script: 'https://www.google.com/recaptcha/api.js' },
  recaptcha_v3: { ...recaptcha, script: 'https://www.google.com/recaptcha/api.js?render={key}' },
}

/** Returns the widget of the configured provider; null without captchas. */
export function widgetOf({ host }: Pick<PageRequest, 'host'>): (Widget & { key: string }) | null {
  const { security, pages } = host.deps.config
  if (host.deps.captcha === null || pages.captchaSiteKey === null) return null
  const widget = widgets[security.captcha.provider]
  const key = pages.captchaSiteKey
  return { ...widget, script: widget.script.replace('{key}', encodeURIComponent(key)), key }
}

/** Returns the token of a solved captcha in a form; empty without one. */
export function captchaTokenIn(page: Pick<PageRequest, 'host'>, form: URLSearchParams): string {
  const { field } = widgetOf(page) ?? { field: 'captcha_token' }
  return (form.get(field) ?? form.get('captcha_token') ?? '').trim()
}

/** The widget inside a form; nothing without captchas. Providers offer none without scripts. */
export function captcha(page: PageRequest): Markup | null {
  const widget = widgetOf(page)
  if (!widget) return null
  page.hasCaptcha = true
  const isInvisible = page.host.deps.config.security.captcha.provider === 'recaptcha_v3'
  return html`<div class="captcha">${
    isInvisible
      ? html`<input type="hidden" name="${widget.field}" data-recaptcha="${widget.key}">`
      : html`<div class="${widget.className}" data-sitekey="${widget.key}"></div>`
  }<noscript><p class="error">${page.text('captcha.script')}</p></noscript></div>`
}
