import { positionOf, TemplateError } from './template-error.ts'

/** The maximum depth of blocks and parentheses, and of the parser's recursion. */
export const maxDepth = 100

/** The maximum number of variables at one place. */
const maxVariables = 100

/** A reader of tokens, with the variables that are declared at this point. */
export interface TokenReader {
  peek(): Token | null
  next(): Token | null
  /** Returns the next token, which must be of one of these kinds. */
  expect(...kinds: TokenKind[]): Token
  /** @throws TemplateError at this offset, or at the next token. */
  fail(reason: string, offset?: number): never
  /** Parses at one level deeper. */
  nested<T>(parse: () => T): T
  /** Parses in a scope whose variables end with it. @param variables those at its start. */
  inScope<T>(parse: () => T, variables?: readonly string[]): T
  declare(variable: string): void
  isDeclared(variable: string): boolean
}

export function createTokenReader(source: string): TokenReader {
  const tokens = tokenize(source)
  let index = 0
  let depth = 0
  let declared: readonly string[] = []

  const peek = () => tokens[index] ?? null
  const fail = (reason: string, offset = peek()?.offset ?? source.length): never => {
    throw new TemplateError('syntax', reason, positionOf(source, offset))
  }
  return {
    peek,
    next: () => tokens[index++] ?? null,
    fail,
    expect: (...kinds) => {
      const token = peek()
      if (!token || !kinds.includes(token.kind)) return fail(`expected ${inWords(kinds)} here`)
      index++
      return token
    },
    nested: (parse) => {
      depth++
      if (depth > maxDepth) fail(`this is nested more than ${maxDepth} levels deep`)
      const parsed = parse()
      depth--
      return parsed
    },
    inScope: (parse, variables = declared) => {
      const outside = declared
      declared = variables
      const parsed = parse()
      declared = outside
      return parsed
    },
    declare: (variable) => {
      if (declared.length >= maxVariables) fail(`there are more than ${maxVariables} variables`)
      declared = [...declared, variable]
    },
    isDeclared: (variable) => variable === '$' || declared.includes(variable),
  }
}

const words: Partial<Record<TokenKind, string>> = {
  close: '}}',
  left: '(',
  right: ')',
  string: 'a name in quotes',
  variable: 'a variable',
}

const inWords = (kinds: readonly TokenKind[]): string =>
  kinds.flatMap((kind) => words[kind] ?? []).join(' or ')

const simple: Record<string, string> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
}

const escapeForm =
  /\\(?:x(?<byte>[\da-fA-F]{2})|u(?<short>[\da-fA-F]{4})|U(?<long>[\da-fA-F]{8})|(?<octal>[0-7]{3})|(?<simple>.))/gsu

/** Returns the value of a string in quotes or backquotes, or of a character in quotes. */
export function readString(tokens: TokenReader, { kind, text, offset }: Token): string {
  const inside = text.slice(1, -1)
  if (kind === 'raw') return inside
  return inside.replace(escapeForm, (...match) => {
    const groups: Record<string, string | undefined> = match.at(-1)
    const hex = groups['byte'] ?? groups['short'] ?? groups['long']
    if (hex !== undefined) return character(Number.parseInt(hex, 16))
    if (groups['octal'] !== undefined) return character(Number.parseInt(groups['octal'], 8))
    return simple[groups['simple'] ?? ''] ?? tokens.fail('this escape is unknown', offset)
  })
}

/** Returns a character; the replacement character if the code is not a Unicode scalar value. */
const character = (code: number): string =>
  code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? '\ufffd' : String.fromCodePoint(code)

type TokenKind =
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
function tokenize(source: string): Token[] {
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
