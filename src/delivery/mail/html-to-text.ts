import { Parser } from 'htmlparser2'

/** Elements without visible text. */
const silent = new Set(['head', 'style', 'script', 'title', 'template'])

/** The number of line breaks around an element. */
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
 * Converts a page to text, for the plain part of a mail: paragraphs, lines, items and the targets
 * of links. The layout may differ.
 *
 * The file uses htmlparser2 and is loaded only for operators with their own templates.
 * `html-to-text` 10 was evaluated: it adds 14 packages and 134 ms, and overflows the stack at a
 * depth of 50,000 elements.
 */
export function htmlToText(page: string): string {
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
  /** True at the beginning of a line, too, where a space would be superfluous. */
  isAfterSpace: boolean
  /** The open link, and its text so far. */
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
    // Adjacent elements share their breaks: the maximum applies, not the sum.
    if (writer.lines.slice(-count).some((line) => line.trim() !== '')) breakLine(writer)
  }
  if (tag === 'li' && !isEnd) write(writer, '- ')
}

function breakLine(writer: Writer): void {
  writer.lines.push('')
  writer.isAfterSpace = true
}

/**
 * Appends the target of a link unless its text contains it; in brackets, which are not part of
 * URLs.
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
