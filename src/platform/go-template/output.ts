import {
  escapeHtml,
  escapeQuery,
  escapeScript,
  escapeStyle,
  escapeUnquoted,
  normalizeUrl,
} from './escape.ts'
import { advance, type HtmlPosition, openValue, startOfPage } from './html-position.ts'

/** The output of a template. Both functions return the text to append. */
export interface Output {
  literal(text: string): string
  /**
   * @param isQueryEscaped whether the template has escaped the value for a query.
   * @returns null if a value is not allowed at this place.
   */
  value(text: string, isQueryEscaped: boolean): string | null
}

/** Returns an output for plain text, without escaping. */
export const plainOutput = (): Output => ({ literal: (text) => text, value: (text) => text })

/** Returns an output for a page, in which a value never becomes markup. */
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

/**
 * Returns the escape outside attributes; null inside a tag, where no escaping prevents a value from
 * becoming an attribute.
 */
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

/** The replacement of a URL that might run as a script. */
const blockedUrl = '#blocked-url'

/**
 * Reports whether a value, with the text before it, gives a URL a scheme that is not permitted in
 * mails.
 */
function hasForeignScheme(before: string, text: string): boolean {
  if (/[:/]/.test(before)) return false
  const scheme = /^([^/?#:]*):/.exec(before + text)?.[1]
  return scheme !== undefined && !/^(?:https?|mailto)$/i.test(scheme)
}
