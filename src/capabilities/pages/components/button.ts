import { html, type Markup } from '../../../service/pages/html.ts'

export type ButtonStyle = 'primary' | 'secondary' | 'danger' | 'quiet'

/** A button that submits its form. */
export const button = (label: string, style: ButtonStyle = 'primary'): Markup =>
  html`<button type="submit" class="button ${style}">${label}</button>`

/** A link that looks like a button. */
export const linkButton = (label: string, href: string, style: ButtonStyle = 'primary'): Markup =>
  html`<a class="button ${style}" href="${href}">${label}</a>`
