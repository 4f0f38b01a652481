import { html, type Markup } from '../../../service/pages/html.ts'
import type { PageRequest } from '../page-request.ts'
import { button } from './button.ts'
import { hidden } from './field.ts'
import { form } from './form.ts'

interface RemovalOptions {
  /** The path of the page. */
  path: string
  action: string
  /** The field with the id of the removed row, where there may be several. */
  field?: { name: string; value: string }
  /** The label of the disclosure, and of the button in it. */
  label: string
  /** The effect, which the user confirms. */
  effect: string
}

/** The removal of data of the user, which requires a second click. */
export const removal = (
  page: PageRequest,
  { path, action, field, label, effect }: RemovalOptions,
): Markup =>
  html`<details><summary>${label}</summary>${form(page, {
    path,
    action,
    body: html`<p>${effect}</p>${field && hidden(field.name, field.value)}${button(label, 'danger')}`,
  })}</details>`
