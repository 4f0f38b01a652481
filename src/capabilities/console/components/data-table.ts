import { html, type Markup } from '../../../service/pages/html.ts'

type Cell = Markup | string | number | null

interface DataTable {
  caption: string
  columns: readonly string[]
  rows: readonly (readonly Cell[])[]
  /** The text in place of a table without rows. */
  empty: string
}

/** A table that scrolls sideways in narrow windows, also by keyboard. */
export const dataTable = ({ caption, columns, rows, empty }: DataTable): Markup =>
  rows.length === 0
    ? html`<p class="empty">${empty}</p>`
    : html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0"><table class="data">
<caption>${caption}</caption>
<thead><tr>${columns.map((one) => html`<th scope="col">${one}</th>`)}</tr></thead>
<tbody>
${rows.map(
  (cells) =>
    html`<tr>${cells.map((cell) => (typeof cell === 'number' ? html`<td class="number">${cell}</td>` : html`<td>${cell ?? '–'}</td>`))}</tr>
`,
)}</tbody></table></div>`

/** Names with their values. */
export const facts = (given: Readonly<Record<string, Cell>>): Markup =>
  html`<dl class="facts">${Object.entries(given).map(
    ([name, value]) => html`<dt>${name}</dt><dd>${value === '' ? '–' : (value ?? '–')}</dd>`,
  )}</dl>`
