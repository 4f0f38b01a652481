import { validationFailed } from '../../../platform/errors/request-errors.ts'
import { html, type Markup } from '../../../service/pages/html.ts'
import { field } from '../../pages/components/field.ts'

/** A field in which the operator repeats a text before an act that cannot be undone. */
export const confirmationField = (form: string, expected: string): Markup =>
  field({
    form,
    name: 'confirmation',
    label: `Type ${expected} to confirm`,
    autocomplete: 'off',
    maxLength: 400,
  })

/**
 * Rejects a form without the repeated text.
 *
 * @throws AuthError `validation_failed`.
 */
export function requireConfirmation(form: URLSearchParams, expected: string): void {
  if ((form.get('confirmation') ?? '').trim() === expected) return
  throw validationFailed(`confirmation: has to be ${expected}`)
}

/** A part of a page with acts that cannot be undone. */
export const dangerZone = (heading: string, body: Markup): Markup =>
  html`<section class="danger-zone"><h2>${heading}</h2>${body}</section>`
