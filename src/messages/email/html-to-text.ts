/** A comment, a tag, or text between them. */
const token =
  /<!--[\s\S]*?(?:-->|$)|<(?<slash>\/?)(?<tag>[a-z][a-z\d]*)(?<rest>[^>]*)>|<[^>]*>?|[^<]+/gi

/** Nobody reads what these hold. */
const silent = new Set(['head', 'style', 'script', 'title', 'template'])

/** How many line breaks stand around an element. */
const breaks: Readonly<Record<string, number>> = {
  ...{ br: 1, div: 1, tr: 1, li: 1, dt: 1, dd: 1, section: 1, header: 1, footer: 1, hr: 1 },
  ...{ p: 2, h1: 2, h2: 2, h3: 2, h4: 2, h5: 2, h6: 2, table: 2, ul: 2, ol: 2, blockquote: 2 },
}

/**
 * The text of a page, for the part of a mail that is no HTML: paragraphs, lines, items and the targets
 * of links. It need not be the page, only say the same.
 */
export function htmlToText(page: string): string {
  const lines: string[] = ['']
  const links: { href: string; start: number }[] = []
  let silence = ''
  for (const { 0: piece, groups } of page.matchAll(token)) {
    const tag = groups?.['tag']?.toLowerCase() ?? ''
    const isEnd = groups?.['slash'] === '/'
    if (silence !== '') {
      if (isEnd && tag === silence) silence = ''
    } else if (silent.has(tag) && !isEnd) silence = tag
    else if (tag !== '') writeTag(lines, links, { tag, isEnd, rest: groups?.['rest'] ?? '' })
    else if (!piece.startsWith('<')) writeText(lines, decodeEntities(piece))
  }
  return `${lines
    .map((line) => line.trim())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()}\n`
}

interface Tag {
  tag: string
  isEnd: boolean
  rest: string
}

function writeTag(lines: string[], links: { href: string; start: number }[], tag: Tag): void {
  if (tag.tag === 'a') {
    if (tag.isEnd) closeLink(lines, links.pop())
    else links.push({ href: hrefOf(tag.rest), start: textLength(lines) })
    return
  }
  if (tag.tag === 'td' || tag.tag === 'th') writeText(lines, ' ')
  for (let left = Object.hasOwn(breaks, tag.tag) ? (breaks[tag.tag] ?? 0) : 0; left > 0; left--) {
    if (tag.tag === 'br' || lines.slice(-left).some((line) => line.trim() !== '')) lines.push('')
  }
  if (tag.tag === 'li' && !tag.isEnd) writeText(lines, '- ')
}

/** Says where a link leads, unless its text does. */
function closeLink(lines: string[], link: { href: string; start: number } | undefined): void {
  if (!link || !/^(?:https?|mailto):/i.test(link.href)) return
  const text = lines.join('\n').slice(link.start).trim()
  if (text.includes(link.href.replace(/^mailto:/i, ''))) return
  writeText(lines, text === '' ? link.href : ` (${link.href})`)
}

const textLength = (lines: readonly string[]): number => lines.join('\n').length

function writeText(lines: string[], text: string): void {
  const last = lines.at(-1) ?? ''
  const more = text.replace(/\s+/g, ' ')
  lines[lines.length - 1] = last + (last === '' || last.endsWith(' ') ? more.trimStart() : more)
}

function hrefOf(rest: string): string {
  const found = /\shref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i.exec(rest)
  return decodeEntities(found?.[1] ?? found?.[2] ?? found?.[3] ?? '').trim()
}

const named: Readonly<Record<string, string>> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ', shy: '', zwnj: '' },
  ...{ ndash: '–', mdash: '—', hellip: '…', middot: '·', bull: '•', copy: '©', euro: '€' },
  ...{ lsquo: '‘', rsquo: '’', ldquo: '“', rdquo: '”', auml: 'ä', ouml: 'ö', uuml: 'ü' },
  ...{ Auml: 'Ä', Ouml: 'Ö', Uuml: 'Ü', szlig: 'ß', eacute: 'é', egrave: 'è', agrave: 'à' },
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
