import { parsePipeline } from './parse-pipeline.ts'
import type { Pipeline, Template, TemplateStatement } from './syntax.ts'
import { createTokenReader, readString, type TokenReader } from './token-reader.ts'

/** The permitted ends of a list of statements, and its position. */
interface Place {
  ends: readonly string[]
  isTop: boolean
  isInRange: boolean
}

interface Parser {
  tokens: TokenReader
  definitions: Map<string, readonly TemplateStatement[]>
  /** The included templates; each must be defined somewhere. */
  uses: { name: string; offset: number }[]
}

/**
 * Parses a template in the notation of Go: actions with `if`, `range`, `with`, variables,
 * pipelines, definitions and the built-in functions. Does not depend on the data.
 *
 * @throws TemplateError with the position of the error.
 */
export function parseTemplate(source: string): Template {
  const parser: Parser = { tokens: createTokenReader(source), definitions: new Map(), uses: [] }
  const { body } = parseBody(parser, { ends: [], isTop: true, isInRange: false })
  for (const { name, offset } of parser.uses) {
    if (!parser.definitions.has(name)) parser.tokens.fail('this template is not defined', offset)
  }
  return { source, body, definitions: parser.definitions }
}

/**
 * Reads statements up to the keyword that ends them; at the top level, up to the end of the source.
 */
function parseBody(parser: Parser, place: Place): { body: TemplateStatement[]; end: string } {
  const { tokens } = parser
  const body: TemplateStatement[] = []
  for (;;) {
    const token = tokens.next()
    if (token === null) {
      if (place.isTop) return { body, end: '' }
      return tokens.fail('an {{ end }} is missing')
    }
    if (token.kind === 'text') {
      body.push({ kind: 'text', text: token.text })
      continue
    }
    const word = tokens.peek()?.kind === 'word' ? (tokens.peek()?.text ?? '') : ''
    if (place.ends.includes(word)) {
      tokens.next()
      return { body, end: word }
    }
    body.push(...parseAction(parser, word, place))
  }
}

function parseAction(parser: Parser, word: string, place: Place): TemplateStatement[] {
  const { tokens } = parser
  const parse = statements.get(word)
  if (parse) {
    tokens.next()
    return parse(parser, place)
  }
  const pipeline = parsePipeline(tokens)
  tokens.expect('close')
  return [{ kind: 'print', pipeline }]
}

type ParseStatement = (parser: Parser, place: Place) => TemplateStatement[]

const statements = new Map<string, ParseStatement>([
  ['if', (parser, place) => parseBranch(parser, 'if', place)],
  ['with', (parser, place) => parseBranch(parser, 'with', place)],
  ['range', (parser, place) => parseBranch(parser, 'range', place)],
  ['template', parseInclude],
  ['define', parseDefinition],
  ['block', parseBlock],
  ['break', (parser, place) => parseJump(parser, 'break', place)],
  ['continue', (parser, place) => parseJump(parser, 'continue', place)],
  ['else', ({ tokens }) => tokens.fail('{{ else }} belongs to an if, range or with')],
  ['end', ({ tokens }) => tokens.fail('{{ end }} without a block')],
])

type BranchKind = 'if' | 'with' | 'range'

function parseBranch(parser: Parser, kind: BranchKind, place: Place): TemplateStatement[] {
  const { tokens } = parser
  return tokens.nested(() =>
    tokens.inScope(() => {
      const pipeline = parsePipeline(tokens, { pairs: kind === 'range' })
      tokens.expect('close')
      const inside = { ...place, isTop: false, isInRange: place.isInRange || kind === 'range' }
      const { body, end } = tokens.inScope(() =>
        parseBody(parser, { ...inside, ends: ['else', 'end'] }),
      )
      const otherwise = end === 'else' ? parseElse(parser, kind, { ...place, isTop: false }) : []
      if (end === 'end') tokens.expect('close')
      return [{ kind, pipeline, body, otherwise }]
    }),
  )
}

/** Parses the rest after `else`: its body, or with `else if` and `else with` another branch. */
function parseElse(parser: Parser, kind: BranchKind, place: Place): TemplateStatement[] {
  const { tokens } = parser
  const next = tokens.peek()
  if (next?.kind === 'word' && next.text === kind && kind !== 'range') {
    tokens.next()
    return parseBranch(parser, kind, place)
  }
  tokens.expect('close')
  const { body } = tokens.inScope(() => parseBody(parser, { ...place, ends: ['end'] }))
  tokens.expect('close')
  return body
}

function parseInclude({ tokens, uses }: Parser): TemplateStatement[] {
  const { name, offset } = parseName(tokens)
  const pipeline = tokens.peek()?.kind === 'close' ? null : parsePipeline(tokens)
  tokens.expect('close')
  uses.push({ name, offset })
  return [{ kind: 'include', name, pipeline, offset }]
}

function parseDefinition(parser: Parser, { isTop }: Place): TemplateStatement[] {
  const { tokens } = parser
  if (!isTop) tokens.fail('{{ define }} is allowed at the top level only')
  const { name } = parseName(tokens)
  parseDefinedBody(parser, name)
  return []
}

/** Parses `block`, which defines a template and includes it. */
function parseBlock(parser: Parser): TemplateStatement[] {
  const { tokens } = parser
  const { name, offset } = parseName(tokens)
  const pipeline: Pipeline = parsePipeline(tokens)
  parseDefinedBody(parser, name)
  return [{ kind: 'include', name, pipeline, offset }]
}

function parseDefinedBody(parser: Parser, name: string): void {
  const { tokens, definitions } = parser
  tokens.expect('close')
  const place = { ends: ['end'], isTop: false, isInRange: false }
  // A definition cannot use the variables around it.
  const { body } = tokens.nested(() => tokens.inScope(() => parseBody(parser, place), []))
  tokens.expect('close')
  definitions.set(name, body)
}

function parseJump(
  { tokens }: Parser,
  kind: 'break' | 'continue',
  place: Place,
): TemplateStatement[] {
  if (!place.isInRange) tokens.fail(`{{ ${kind} }} is allowed inside a range only`)
  tokens.expect('close')
  return [{ kind }]
}

function parseName(tokens: TokenReader): { name: string; offset: number } {
  const token = tokens.expect('string', 'raw')
  return { name: readString(tokens, token), offset: token.offset }
}
