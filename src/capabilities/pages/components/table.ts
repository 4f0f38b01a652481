import { html, type Markup } from '../../../service/pages/html.ts'

export interface TableRow {
  /** The main text. */
  title: string
  /** The main text with elements, in the place of that without. */
  titleMarkup?: Markup
  /** A label beside it. */
  badge?: string | undefined
  /** Further facts. */
  details: readonly (string | Markup | null)[]
  /** Forms or links. */
  actions?: Markup | undefined
}

/**
 * A list, such as that of the sessions. Each row has its actions, which assistive technology names
 * by the title of the row. Narrow windows show one column.
 */
export const table = (label: string, rows: readonly TableRow[]): Markup =>
  html`<ul class="rows" aria-label="${label}">
${rows.map(
  ({ title, titleMarkup, badge, details, actions }) => html`<li>
<div class="about"><p class="title">${titleMarkup ?? html`<bdi>${title}</bdi>`}${badge && html` <span class="badge">${badge}</span>`}</p>
${details.filter((one) => one !== null).map((one) => html`<p class="detail">${one}</p>`)}</div>
${actions && html`<div class="actions" role="group" aria-label="${title}">${actions}</div>`}
</li>`,
)}
</ul>`
