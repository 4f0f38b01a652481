import { html, type Markup } from '../../../service/pages/html.ts'
import { formTokenOf, tokenField } from '../form-token.ts'
import { type PageRequest, pathTo } from '../page-request.ts'
import type { ButtonStyle } from './button.ts'
import { captcha } from './captcha.ts'
import { hidden } from './field.ts'

export interface KeyFormOptions {
  path: string
  /** The action that returns the options of the ceremony. */
  options: string
  /** The action that accepts the credential. */
  action: string
  /** Parameters of the query. */
  parameters?: Record<string, string | undefined>
  label: string
  style?: ButtonStyle
  body?: Markup
  /** Whether the options require a solved captcha, where captchas are enabled. */
  hasCaptcha?: boolean
  /**
   * The error where the authenticator already has a credential of the account. Default: that of a
   * security key.
   */
  exists?: string
  /** Whether the browser offers passkeys in the field of the user name. */
  hasAutofill?: boolean
}

/**
 * A form for a passkey or a security key. Only scripts can use them, so it appears with scripts
 * only.
 */
export const keyForm = (page: PageRequest, given: KeyFormOptions): Markup =>
  html`<form method="post" action="${pathTo(page, given.path, { ...given.parameters, do: given.action })}" data-options="${pathTo(
    page,
    given.path,
    { ...given.parameters, do: given.options },
  )}"${given.hasAutofill && html` data-autofill`} hidden>
${hidden(tokenField, formTokenOf(page))}
${hidden('challenge_id', '')}
${hidden('credential', '')}
${given.body}${given.hasCaptcha && captcha(page)}
<button type="button" class="button ${given.style ?? 'secondary'}">${given.label}</button>
<p class="error" role="alert" data-text="${page.text('error.webauthn_browser')}" data-exists="${given.exists ?? page.text('error.webauthn_credential_exists')}" hidden></p>
</form>`
