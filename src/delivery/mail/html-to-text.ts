/** Nobody reads what these hold. */
const silent = new Set(['head', 'style', 'script', 'title', 'template'])

/** How many line breaks stand around an element. */
const breaks = new Map([
  ...['div', 'tr', 'li', 'dt', 'dd', 'section', 'header', 'footer', 'hr'].map(aroundWith(1)),
  ...['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'table', 'ul', 'ol', 'blockquote'].map(
    aroundWith(2),
  ),
])

function aroundWith(count: number) {
  return (tag: string): [string, number] => [tag, count]
}

/**
 * The text of a page, for the part of a mail that is no HTML: paragraphs, lines, items and the targets
 * of links. It need not be the page, only say the same.
 *
 * What is in the page, htmlparser2 tells; it is loaded for operators who have templates of their own. Libraries that
 * make text of it were weighed: `html-to-text` 10 brings 14 packages and 134 ms, and overflows the stack where elements
 * stand 50,000 deep.
 */
export async function htmlToText(page: string): Promise<string> {
  const { Parser } = await import('htmlparser2')
  const writer: Writer = { lines: [''], isAfterSpace: true, link: null }
  let silence = 0
  const parser = new Parser({
    onopentag: (tag, { href = '' }) => {
      if (silent.has(tag)) silence += 1
      else if (tag === 'a') writer.link = { href: href.trim(), text: '' }
      else writeBreak(writer, tag, false)
    },
    ontext: (text) => {
      if (silence === 0) write(writer, text)
    },
    onclosetag: (tag) => {
      if (silent.has(tag)) silence -= 1
      else if (tag === 'a') writeTarget(writer)
      else writeBreak(writer, tag, true)
    },
  })
  parser.end(page)
  const text = writer.lines.map((line) => line.trim()).join('\n')
  return `${text.replace(/\n{3,}/g, '\n\n').trim()}\n`
}

interface Writer {
  lines: string[]
  /** Also at the beginning of a line: a space more would be one too many. */
  isAfterSpace: boolean
  /** The link that is open, and what was written of its text. */
  link: { href: string; text: string } | null
}

function write(writer: Writer, text: string): void {
  const { lines, link } = writer
  const more = text.replaceAll('\u00ad', '').replaceAll('\u200c', '').replace(/\s+/g, ' ')
  const added = writer.isAfterSpace ? more.trimStart() : more
  if (added === '') return
  lines[lines.length - 1] += added
  writer.isAfterSpace = added.endsWith(' ')
  if (link) link.text += added
}

function writeBreak(writer: Writer, tag: string, isEnd: boolean): void {
  if (tag === 'td' || tag === 'th') write(writer, ' ')
  if (tag === 'br' && !isEnd) breakLine(writer)
  const count = breaks.get(tag) ?? 0
  for (let left = count; left > 0; left--) {
    // Neighbours share their breaks: as many as the one that asks for more, not the sum.
    if (writer.lines.slice(-count).some((line) => line.trim() !== '')) breakLine(writer)
  }
  if (tag === 'li' && !isEnd) write(writer, '- ')
}

function breakLine(writer: Writer): void {
  writer.lines.push('')
  writer.isAfterSpace = true
}

/**
 * Says where a link leads, unless its text does; in brackets that are part of no URL.
 *
 * @see RFC 3986 §C
 */
function writeTarget(writer: Writer): void {
  const { link } = writer
  writer.link = null
  if (!link || !/^(?:https?|mailto):/i.test(link.href)) return
  const text = link.text.trim()
  if (text.includes(link.href.replace(/^mailto:/i, ''))) return
  write(writer, text === '' ? link.href : ` <${link.href}>`)
}
