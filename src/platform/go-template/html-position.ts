/**
 * The tokenizer's state for the next character of a page. @see
 * https://html.spec.whatwg.org/#tokenization
 */
export interface HtmlPosition {
  state: HtmlState
  /** The name of the tag, in lower case; of the element while in `rawText`. */
  tag: string
  isEndTag: boolean
  attribute: string
  /** The quote of the attribute's value; empty without one. */
  quote: string
  /** The value of the attribute so far. */
  value: string
  /** The last characters, for tokens of several characters. */
  tail: string
}

type HtmlState =
  | ('text' | 'rawText' | 'comment' | 'declaration')
  | ('tagOpen' | 'endTagOpen' | 'markupOpen' | 'tagName')
  | ('inTag' | 'attributeName' | 'afterName' | 'beforeValue' | 'value')

export const startOfPage = (): HtmlPosition => ({
  state: 'text',
  tag: '',
  isEndTag: false,
  attribute: '',
  quote: '',
  value: '',
  tail: '',
})

/** Elements whose content is not markup, up to their end tag. */
const rawTextElements = new Set([
  'script',
  'style',
  'textarea',
  'title',
  'xmp',
  'iframe',
  'noembed',
  'noframes',
])

const isSpace = (character: string): boolean => /[\t\n\f\r ]/.test(character)

/** Advances by one character of the page. */
export function advance(position: HtmlPosition, character: string): void {
  steps[position.state](position, character)
}

const steps: Record<HtmlState, (position: HtmlPosition, character: string) => void> = {
  text: (position, character) => {
    if (character === '<') position.state = 'tagOpen'
  },

  tagOpen: (position, character) => {
    if (/[a-z]/i.test(character)) openTag(position, character, false)
    else if (character === '/') position.state = 'endTagOpen'
    else if (character === '!' || character === '?') watch(position, 'markupOpen')
    else if (character !== '<') position.state = 'text'
  },

  endTagOpen: (position, character) => {
    if (/[a-z]/i.test(character)) openTag(position, character, true)
    else position.state = character === '>' ? 'text' : 'declaration'
  },

  markupOpen: (position, character) => {
    position.tail += character
    if (position.tail === '--') watch(position, 'comment')
    else if (character === '>') position.state = 'text'
    else if (position.tail !== '-') position.state = 'declaration'
  },

  declaration: (position, character) => {
    if (character === '>') position.state = 'text'
  },

  comment: (position, character) => {
    position.tail += character
    // `<!--[if mso]>` is not a comment for the clients it addresses: its content is markup.
    const isEnd = /^-?>$|--!?>$|^\[if[^\]>]*\]>$/.test(position.tail)
    if (isEnd) position.state = 'text'
  },

  tagName: (position, character) => {
    if (isSpace(character) || character === '/') position.state = 'inTag'
    else if (character === '>') closeTag(position)
    else position.tag += character.toLowerCase()
  },

  inTag: (position, character) => {
    if (character === '>') closeTag(position)
    else if (!isSpace(character) && character !== '/') openAttribute(position, character)
  },

  attributeName: (position, character) => {
    if (isSpace(character)) position.state = 'afterName'
    else if (character === '=') position.state = 'beforeValue'
    else if (character === '/') position.state = 'inTag'
    else if (character === '>') closeTag(position)
    else position.attribute += character.toLowerCase()
  },

  afterName: (position, character) => {
    if (character === '=') position.state = 'beforeValue'
    else if (character === '/') position.state = 'inTag'
    else if (character === '>') closeTag(position)
    else if (!isSpace(character)) openAttribute(position, character)
  },

  beforeValue: (position, character) => {
    if (isSpace(character)) return
    if (character === '>') closeTag(position)
    else if (character === '"' || character === "'") openValue(position, character, '')
    else openValue(position, '', character)
  },

  value: (position, character) => {
    const isEnd = position.quote === '' ? isSpace(character) : character === position.quote
    if (isEnd) position.state = 'inTag'
    else if (position.quote === '' && character === '>') closeTag(position)
    else position.value += character
  },

  rawText: (position, character) => {
    const end = `</${position.tag}`
    if (/[\s/>]/.test(character) && position.tail.toLowerCase() === end) {
      position.isEndTag = true
      if (character === '>') closeTag(position)
      else position.state = 'inTag'
    }
    position.tail = (position.tail + character).slice(-end.length)
  },
}

function watch(position: HtmlPosition, state: HtmlState): void {
  position.state = state
  position.tail = ''
}

function openTag(position: HtmlPosition, character: string, isEndTag: boolean): void {
  position.state = 'tagName'
  position.tag = character.toLowerCase()
  position.isEndTag = isEndTag
}

function closeTag(position: HtmlPosition): void {
  const isRaw = !position.isEndTag && rawTextElements.has(position.tag)
  watch(position, isRaw ? 'rawText' : 'text')
}

function openAttribute(position: HtmlPosition, character: string): void {
  position.state = 'attributeName'
  position.attribute = character.toLowerCase()
}

/** Begins an attribute's value. Also used if a value of the template begins it. */
export function openValue(position: HtmlPosition, quote: string, value: string): void {
  position.state = 'value'
  position.quote = quote
  position.value = value
}
