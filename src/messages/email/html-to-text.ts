/** A comment, a tag, or text between them. */
const token =
  /<!--[\s\S]*?(?:-->|$)|<(?<slash>\/?)(?<tag>[a-z][a-z\d]*)(?<rest>[^>]*)>|<[^>]*>?|[^<]+/gi

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
 */
export function htmlToText(page: string): string {
  const writer: Writer = { lines: [''], isAfterSpace: true, link: null }
  const lowerCase = page.toLowerCase()
  const pieces = new RegExp(token)
  for (let found = pieces.exec(page); found; found = pieces.exec(page)) {
    const { slash, tag = '', rest = '' } = found.groups ?? {}
    const name = tag.toLowerCase()
    const isEnd = slash === '/'
    if (silent.has(name) && !isEnd) {
      const end = lowerCase.indexOf(`</${name}`, pieces.lastIndex)
      if (end < 0) break
      pieces.lastIndex = end
    } else if (name === 'a') writeLink(writer, isEnd, rest)
    else if (name !== '') writeBreak(writer, name, isEnd)
    else if (!found[0].startsWith('<')) write(writer, decodeEntities(found[0]))
  }
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
  const more = text.replace(/\s+/g, ' ')
  const added = writer.isAfterSpace ? more.trimStart() : more
  if (added === '') return
  lines[lines.length - 1] += added
  writer.isAfterSpace = added.endsWith(' ')
  if (link) link.text += added
}

function writeBreak(writer: Writer, tag: string, isEnd: boolean): void {
  if (tag === 'td' || tag === 'th') write(writer, ' ')
  if (tag === 'br') breakLine(writer)
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
function writeLink(writer: Writer, isEnd: boolean, rest: string): void {
  const { link } = writer
  writer.link = isEnd ? null : { href: hrefOf(rest), text: '' }
  if (!isEnd || !link || !/^(?:https?|mailto):/i.test(link.href)) return
  const text = link.text.trim()
  if (text.includes(link.href.replace(/^mailto:/i, ''))) return
  write(writer, text === '' ? link.href : ` <${link.href}>`)
}

function hrefOf(rest: string): string {
  const found = /\shref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i.exec(rest)
  return decodeEntities(found?.[1] ?? found?.[2] ?? found?.[3] ?? '').trim()
}

const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  shy: '',
  zwnj: '',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  middot: '·',
  bull: '•',
  copy: '©',
  euro: '€',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  auml: 'ä',
  ouml: 'ö',
  uuml: 'ü',
  Auml: 'Ä',
  Ouml: 'Ö',
  Uuml: 'Ü',
  szlig: 'ß',
  eacute: 'é',
  egrave: 'è',
  agrave: 'à',
}

const entity = /&(?:#(?<decimal>\d{1,7})|#x(?<hex>[\da-f]{1,6})|(?<name>[a-z]{2,8}));/gi

function decodeEntities(text: string): string {
  return text.replace(entity, (whole, ...match) => {
    const groups: Record<string, string | undefined> = match.at(-1)
    const { decimal, hex, name = '' } = groups
    if (decimal === undefined && hex === undefined) {
      return Object.hasOwn(named, name) ? (named[name] ?? whole) : whole
    }
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}
