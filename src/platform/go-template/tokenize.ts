import { positionOf, TemplateError } from './template-error.ts'

export type TokenKind =
  | ('text' | 'open' | 'close')
  | ('field' | 'dot' | 'variable' | 'word' | 'string' | 'raw' | 'char' | 'number')
  | ('pipe' | 'left' | 'right' | 'declare' | 'assign' | 'comma' | 'space')

export interface Token {
  kind: TokenKind
  text: string
  offset: number
  /** Whether white space precedes it: `.A.B` is one value, `.A .B` are two. */
  isSpaced: boolean
}

const name = String.raw`[\p{L}_][\p{L}\p{Nd}_]*`

/** The tokens between `{{` and `}}`. Groups are matched in this order. */
const forms: readonly (readonly [TokenKind, string])[] = [
  ['close', String.raw`\s+-\}\}|\}\}`],
  ['space', String.raw`\s+`],
  ['field', String.raw`\.${name}`],
  ['number', String.raw`[+-]?(?:0[xX][\da-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?![\w.])`],
  ['dot', String.raw`\.`],
  ['variable', String.raw`\$(?:${name})?`],
  ['word', name],
  ['string', String.raw`"(?:[^"\\\n]|\\.)*"`],
  ['raw', '`[^`]*`'],
  ['char', String.raw`'(?:[^'\\\n]|\\.)'`],
  ['pipe', String.raw`\|`],
  ['left', String.raw`\(`],
  ['right', String.raw`\)`],
  ['declare', ':='],
  ['assign', '='],
  ['comma', ','],
]

const anyForm = new RegExp(forms.map(([kind, form]) => `(?<${kind}>${form})`).join('|'), 'uy')
const opening = /\{\{(?:-(?=\s))?/y
const comment = /\s*\/\*[\s\S]*?\*\/(?:\s+-|\s*)\}\}/y

/**
 * Splits a template into literal text and the tokens of its actions. Comments are dropped, and so
 * is the white space that `{{-` and `-}}` trim.
 */
export function tokenize(source: string): Token[] {
  const tokens: Token[] = []
  let offset = 0
  let trimsStart = false
  while (offset < source.length) {
    const found = source.indexOf('{{', offset)
    const end = found < 0 ? source.length : found
    const open = found < 0 ? '' : (matchAt(opening, source, found)?.[0] ?? '')
    const text = trimmed(source.slice(offset, end), trimsStart, open.endsWith('-'))
    if (text !== '') tokens.push({ kind: 'text', text, offset, isSpaced: false })
    if (found < 0) break
    const action = readAction(source, found, found + open.length)
    tokens.push(...action.tokens)
    offset = action.end
    trimsStart = action.trimsAfter
  }
  return tokens
}

interface Action {
  tokens: Token[]
  end: number
  trimsAfter: boolean
}

function readAction(source: string, start: number, inside: number): Action {
  const note = matchAt(comment, source, inside)
  if (note) {
    return { tokens: [], end: inside + note[0].length, trimsAfter: note[0].endsWith('-}}') }
  }
  const tokens: Token[] = [{ kind: 'open', text: '{{', offset: start, isSpaced: false }]
  let isSpaced = true
  for (let offset = inside; offset < source.length; ) {
    const { kind, text } = readToken(source, offset)
    if (kind !== 'space') tokens.push({ kind, text, offset, isSpaced })
    isSpaced = kind === 'space'
    offset += text.length
    if (kind === 'close') return { tokens, end: offset, trimsAfter: text.endsWith('-}}') }
  }
  throw new TemplateError('syntax', 'this action is not closed', positionOf(source, start))
}

function readToken(source: string, offset: number): { kind: TokenKind; text: string } {
  const groups = matchAt(anyForm, source, offset)?.groups ?? {}
  for (const [kind] of forms) {
    const text = groups[kind]
    if (text !== undefined) return { kind, text }
  }
  throw new TemplateError('syntax', 'this is not allowed in an action', positionOf(source, offset))
}

function matchAt(pattern: RegExp, source: string, offset: number): RegExpExecArray | null {
  pattern.lastIndex = offset
  return pattern.exec(source)
}

function trimmed(text: string, start: boolean, end: boolean): string {
  const tail = start ? text.trimStart() : text
  return end ? tail.trimEnd() : tail
}
