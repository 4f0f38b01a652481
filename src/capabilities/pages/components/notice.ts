import { html, type Markup } from '../../../service/pages/html.ts'

/** A message at the top of a page. An error has the focus, so that screen readers announce it. */
export const notice = (
  kind: 'success' | 'error' | 'info',
  text: string,
  hasFocus = false,
): Markup =>
  html`<div class="notice ${kind}" role="${kind === 'error' ? 'alert' : 'status'}" tabindex="-1"${hasFocus && html` autofocus`}><p>${text}</p></div>`
