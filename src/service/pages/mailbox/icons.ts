import { html, type Markup, verbatim } from '../html.ts'

/** Paths on a square of 24 units, drawn as lines. */
const paths = {
  mail: 'M4 6h16v12H4z M4 7l8 6 8-6',
  sms: 'M5 5h14v10h-7l-4 4v-4H5z',
  copy: 'M9 9h10v10H9z M15 9V5H5v10h4',
  open: 'M10 6H6v12h12v-4 M14 5h5v5 M19 5l-8 8',
  back: 'M14 6l-6 6 6 6',
}

/** Returns an icon beside a text with the same meaning, hidden from screen readers. */
export const icon = (name: keyof typeof paths): Markup =>
  html`<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${verbatim(paths[name])}"></path></svg>`
