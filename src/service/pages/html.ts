/** Text that is already HTML. */
export interface Markup {
  readonly markup: string
}

type Inserted = string | number | Markup | readonly Inserted[] | null | undefined | false

/** HTML in which all inserted values are text, unless {@link html} returned them. */
export const html = (parts: TemplateStringsArray, ...values: Inserted[]): Markup => ({
  markup: parts.reduce((text, part, index) => text + render(values[index - 1]) + part),
})

/** Marks our own text, such as a style sheet, as HTML. */
export const verbatim = (markup: string): Markup => ({ markup })

function render(value: Inserted): string {
  if (value === null || value === undefined || value === false) return ''
  if (typeof value === 'string' || typeof value === 'number') return escapeText(String(value))
  return 'markup' in value ? value.markup : value.map(render).join('')
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escapeText = (text: string): string =>
  text.replace(/[&<>"']/g, (found) => entities[found] ?? '')
