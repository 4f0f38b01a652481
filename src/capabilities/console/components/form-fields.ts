import { isRecord } from '../../../platform/kit/is-record.ts'
import { html, type Markup } from '../../../service/pages/html.ts'
import { checkbox, field, hidden } from '../../pages/components/field.ts'
import type { ConsoleRequest } from '../console-request.ts'
import { selectField } from './filters.ts'

interface TextOptions {
  hint?: string | undefined
  isRequired?: boolean
  type?: 'text' | 'email' | 'password'
  autocomplete?: string
  maxLength?: number
}

/** The fields of one form. */
export interface ConsoleFields {
  text(name: string, label: string, options?: TextOptions): Markup
  /** A field with several lines. */
  area(name: string, label: string, options?: Pick<TextOptions, 'hint' | 'isRequired'>): Markup
  select(name: string, label: string, choices: readonly (readonly [string, string])[]): Markup
  check(name: string, label: string): Markup
}

/**
 * Returns the fields of a form. After a rejection they keep the typed values.
 *
 * @param stored the stored values by field. Each is repeated in a hidden field `was_…`, from which
 *   {@link changedFields} determines the fields that the operator changed. A box has `on`.
 */
export function formFields(
  { state }: ConsoleRequest,
  action: string,
  stored: Readonly<Record<string, string>> = {},
): ConsoleFields {
  const typed = state.action === action ? state.values : null
  const currentOf = (name: string) => (typed ? typed[name] : stored[name]) ?? ''
  const was = (name: string) =>
    Object.hasOwn(stored, name)
      ? hidden(`was_${name}`, typed?.[`was_${name}`] ?? stored[name] ?? '')
      : null
  return {
    text: (name, label, { isRequired = false, maxLength = 320, ...options } = {}) =>
      html`${was(name)}${field({
        form: action,
        name,
        label,
        maxLength,
        isOptional: !isRequired,
        ...options,
        value: options.type === 'password' ? undefined : currentOf(name),
      })}`,
    area: (name, label, { hint, isRequired = false } = {}) => {
      const id = `${action}-${name}`
      return html`${was(name)}<div class="field"><div class="label"><label for="${id}">${label}</label></div>
<textarea id="${id}" name="${name}" spellcheck="false"${hint && html` aria-describedby="${id}-hint"`}${isRequired && html` required`}>
${currentOf(name)}</textarea>${hint && html`<p class="hint" id="${id}-hint">${hint}</p>`}</div>`
    },
    select: (name, label, choices) =>
      html`${was(name)}${selectField({ form: action, name, label, choices, value: currentOf(name) })}`,
    check: (name, label) =>
      html`${was(name)}${checkbox(action, name, label, currentOf(name) === 'on')}`,
  }
}

/** Returns the text of a field with the line ends of JavaScript; empty where it is absent. */
export const textIn = (form: URLSearchParams, name: string): string =>
  (form.get(name) ?? '').replaceAll('\r\n', '\n').trim()

/**
 * Returns those of the names whose field differs from its hidden field `was_…`. Another operator
 * may have changed the other fields meanwhile; these stay.
 */
export const changedFields = <Name extends string>(
  form: URLSearchParams,
  names: readonly Name[],
): Name[] =>
  names.filter(
    (name) => form.has(`was_${name}`) && textIn(form, name) !== textIn(form, `was_${name}`),
  )

/** Returns the lines of a text that are not empty. */
export const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** Returns the words of a text. */
export const wordsOf = (text: string): string[] =>
  text.split(/[\s,]+/).filter((word) => word !== '')

/** Returns the object that a field contains in JSON; empty without text, null for another text. */
export function objectIn(form: URLSearchParams, name: string): Record<string, unknown> | null {
  const text = textIn(form, name)
  if (text === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : null
  } catch {
    return null
  }
}
