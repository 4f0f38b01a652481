/** HTML that a page may contain as it is. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Value = Html | string | null | undefined | readonly Html[]

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '"': '&quot;' }
const escaped = (text: string) => text.replace(/[&<"]/g, (character) => entities[character] ?? '')

/** Builds HTML. Values are escaped, unless they are HTML themselves. */
export const html = (parts: TemplateStringsArray, ...values: Value[]): Html =>
  new Html(String.raw({ raw: parts }, ...values.map(render)))

function render(value: Value): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return escaped(value)
  return value instanceof Html ? value.text : value.map(render).join('')
}
