import { html, type Markup } from '../../../service/pages/html.ts'
import type { ConsoleRequest } from '../console-request.ts'

/** A time in UTC, to the second. A narrow column has the date above the time. */
export function time(at: Date | null): Markup | null {
  if (at === null) return null
  const iso = at.toISOString()
  return html`<time datetime="${iso}"><span class="nowrap">${iso.slice(0, 10)}</span> <span class="nowrap">${iso.slice(11, 19)} UTC</span></time>`
}

/** A label that does not depend on its color. */
export const badge = (text: string, kind: 'good' | 'bad' | 'soft' = 'soft'): Markup =>
  html`<span class="badge ${kind}">${text}</span>`

/** An id, a digest or another value that is compared by its characters. */
export const mono = (text: string): Markup => html`<span class="mono">${text}</span>`

/** A text that exists in English only, such as a message of the API. */
export const english = (text: string): Markup => html`<span lang="en">${text}</span>`

export const link = (href: string, text: string): Markup => html`<a href="${href}">${text}</a>`

export const json = (value: unknown): Markup =>
  html`<pre class="mono" tabindex="0">${jsonText(value)}</pre>`

/** Returns indented JSON in which each character is visible. */
export const jsonText = (value: unknown): string => visible(JSON.stringify(value, null, 2))

/** Control and format characters, which reverse or hide the text beside them. */
const hidden = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** Returns a text that a user chose, with escape sequences of JSON for hidden characters. */
export const visible = (text: string): string =>
  text.replaceAll(hidden, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  )

/** A number in the language of the request. */
export const count = ({ page }: Pick<ConsoleRequest, 'page'>, value: number): string =>
  new Intl.NumberFormat(page.language).format(value)
