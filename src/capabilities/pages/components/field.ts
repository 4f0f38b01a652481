import { html, type Markup } from '../../../service/pages/html.ts'

/** An input with its label, hint and error. */
export interface FieldOptions {
  /** The prefix of ids: that of the form. */
  form: string
  name: string
  label: string
  type?: 'text' | 'email' | 'tel' | 'password'
  /** The token of HTML. @see HTML Standard §4.10.18.7 */
  autocomplete?: string
  inputMode?: 'numeric' | 'text' | 'email' | 'tel'
  value?: string | undefined
  hint?: string | undefined
  error?: string | undefined
  isOptional?: boolean
  maxLength?: number
  pattern?: string
  /** The id of a further description. */
  describedBy?: string
  /** Whether it has the focus when the page appears. An error has precedence. */
  hasFocus?: boolean
  /** A link beside the label. */
  aside?: Markup | undefined
  /** The labels of the button that shows a password; it appears with scripts only. */
  reveal?: { show: string; hide: string } | undefined
}

export function field(options: FieldOptions): Markup {
  const { form, name, label, type = 'text', hint, error, value, aside, reveal } = options
  const id = `${form}-${name}`
  const described = [hint && `${id}-hint`, options.describedBy, error && `${id}-error`]
    .filter(Boolean)
    .join(' ')
  const focus = options.hasFocus || error ? 'autofocus' : null
  return html`<div class="field">
<div class="label"><label for="${id}">${label}</label>${aside}</div>
<div class="input"><input id="${id}" name="${name}" type="${type}"${attributes({
    autocomplete: options.autocomplete,
    inputmode: options.inputMode,
    value,
    maxlength: options.maxLength,
    pattern: options.pattern,
    'aria-describedby': described || undefined,
    'aria-invalid': error ? 'true' : undefined,
    autocapitalize: type === 'text' || type === 'email' ? 'none' : undefined,
    spellcheck: 'false',
  })}${options.isOptional ? null : html` required`}${focus && html` autofocus`}>${
    reveal &&
    html`<button type="button" class="reveal" hidden aria-controls="${id}" data-show="${reveal.show}" data-hide="${reveal.hide}">${reveal.show}</button>`
  }</div>
${hint && html`<p class="hint" id="${id}-hint">${hint}</p>`}
${error && html`<p class="error" id="${id}-error">${error}</p>`}
</div>`
}

/** A field that users do not see. */
export const hidden = (name: string, value: string): Markup =>
  html`<input type="hidden" name="${name}" value="${value}">`

/** A box to check. */
export const checkbox = (form: string, name: string, label: string, isChecked = false): Markup =>
  html`<div class="check"><input id="${form}-${name}" type="checkbox" name="${name}" value="on"${isChecked && html` checked`}><label for="${form}-${name}">${label}</label></div>`

function attributes(given: Record<string, string | number | undefined>): Markup[] {
  return Object.entries(given).flatMap(([name, value]) =>
    value === undefined ? [] : [html` ${{ markup: name }}="${value}"`],
  )
}
