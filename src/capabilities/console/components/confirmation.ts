import { html, type Markup } from '../../../service/pages/html.ts'
import { field } from '../../pages/components/field.ts'
import type { ConsoleRequest, FormRejection } from '../console-request.ts'

/** A field in which the operator repeats a text before an act that cannot be undone. */
export const confirmationField = ({ t }: ConsoleRequest, form: string, expected: string): Markup =>
  field({
    form,
    name: 'confirmation',
    label: t('confirmation.label', { text: expected }),
    autocomplete: 'off',
    maxLength: 400,
  })

/** Returns the rejection of a form without the repeated text; null for a confirmed form. */
export const unconfirmed = (
  { t }: ConsoleRequest,
  form: URLSearchParams,
  expected: string,
): FormRejection | null =>
  (form.get('confirmation') ?? '').trim() === expected
    ? null
    : { rejected: t('confirmation.missing', { text: expected }) }

/** A part of a page with acts that cannot be undone. */
export const dangerZone = (heading: string, body: Markup): Markup =>
  html`<section class="danger-zone"><h2>${heading}</h2>${body}</section>`
