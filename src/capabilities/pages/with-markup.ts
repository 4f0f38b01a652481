import { html, type Markup } from '../../service/pages/html.ts'

/** Returns a text as HTML, with elements in the place of its placeholders. */
export const withMarkup = (text: string, elements: Readonly<Record<string, Markup>>): Markup =>
  html`${text.split(/\{(\w+)\}/).map((part, index) => (index % 2 === 1 ? (elements[part] ?? `{${part}}`) : part))}`
