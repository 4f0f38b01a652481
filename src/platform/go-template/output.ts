import {
  escapeHtml,
  escapeQuery,
  escapeScript,
  escapeStyle,
  escapeUnquoted,
  normalizeUrl,
} from './escape.ts'
import { advance, type HtmlPosition, openValue, startOfPage } from './html-position.ts'

/** What a template writes to. Both return what becomes part of the result. */
export interface Output {
  literal(text: string): string
  /**
   * @param isQueryEscaped whether the template has escaped it for the query of a URL by itself.
   * @returns null where a value cannot stand.
   */
  value(text: string, isQueryEscaped: boolean): string | null
}

/** Text as it is, for what is no page. */
export const plainOutput = (): Output => ({ literal: (text) => text, value: (text) => text })

/** A page: a value never becomes markup, whatever it stands in. */
export function htmlOutput(): Output {
  const position = startOfPage()
  const follow = (text: string): string => {
    for (const character of text) advance(position, character)
    return text
  }
  return {
    literal: follow,
    value: (text, isQueryEscaped) => {
      if (position.state === 'beforeValue') openValue(position, '', '')
      if (position.state === 'value') return attributeValue(position, text, isQueryEscaped)
      const escaping = escapeIn(position)
      return escaping && follow(escaping(text))
    },
  }
}

type Escape = (text: string) => string

/** Outside of attributes. Inside of a tag, no escaping keeps a value from becoming an attribute. */
function escapeIn({ state, tag }: HtmlPosition): Escape | null {
  if (state === 'rawText' && tag === 'script') return escapeScript
  if (state === 'rawText' && tag === 'style') return escapeStyle
  const isText = ['text', 'rawText', 'comment', 'declaration', 'markupOpen'].includes(state)
  return isText ? escapeHtml : null
}

function attributeValue(position: HtmlPosition, text: string, isQueryEscaped: boolean): string {
  const { attribute, quote, value } = position
  const inside = meanings[meaningOf(attribute)](text, value, isQueryEscaped)
  position.value += inside
  return quote === '' ? escapeUnquoted(inside) : escapeHtml(inside)
}

type Meaning = 'text' | 'url' | 'style' | 'script' | 'page'

const meanings: Record<Meaning, (text: string, before: string, isQueryEscaped: boolean) => string> =
  {
    text: (text) => text,
    style: escapeStyle,
    script: escapeScript,
    page: escapeHtml,
    url: (text, before, isQueryEscaped) => {
      if (isQueryEscaped) return text
      if (/[?#]/.test(before)) return escapeQuery(text)
      return normalizeUrl(hasForeignScheme(before, text) ? blockedUrl : text)
    },
  }

const urlAttributes = new Set([
  'href',
  'src',
  'action',
  'formaction',
  'cite',
  'background',
  'poster',
  'longdesc',
  'data',
  'usemap',
  'manifest',
  'icon',
  'profile',
  'codebase',
  'archive',
  'classid',
  'ping',
  'srcset',
])

function meaningOf(attribute: string): Meaning {
  const name = attribute.slice(attribute.lastIndexOf(':') + 1)
  if (name === 'style') return 'style'
  if (name.startsWith('on')) return 'script'
  if (name === 'srcdoc') return 'page'
  return urlAttributes.has(name) || /src|ur[il]/.test(name) ? 'url' : 'text'
}

/** What stands in the place of a URL that might run as a script. */
const blockedUrl = '#blocked-url'

/** Whether a value gives a URL a scheme that mails have no use for, alone or with what precedes it. */
function hasForeignScheme(before: string, text: string): boolean {
  if (/[:/]/.test(before)) return false
  const scheme = /^([^/?#:]*):/.exec(before + text)?.[1]
  return scheme !== undefined && !/^(?:https?|mailto)$/i.test(scheme)
}
