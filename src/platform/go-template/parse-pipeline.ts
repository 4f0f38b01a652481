import type { Command, Operand, Pipeline } from './syntax.ts'
import { readString, type Token, type TokenReader } from './token-reader.ts'

/**
 * Parses `$x := .A | printf "%s"`: a value, its functions, and the variable for the result.
 *
 * @param options.pairs whether two variables are permitted, as in a range.
 */
export function parsePipeline(tokens: TokenReader, { pairs = false } = {}): Pipeline {
  const offset = tokens.peek()?.offset ?? 0
  const first = parseFirst(tokens, pairs)
  const commands = [first.command ?? parseCommand(tokens, false)]
  while (tokens.peek()?.kind === 'pipe') {
    tokens.next()
    commands.push(parseCommand(tokens, true))
  }
  // Declared after its value is parsed, which must not contain it.
  if (first.declares) for (const variable of first.variables) tokens.declare(variable)
  return { commands, variables: first.variables, declares: first.declares, offset }
}

interface First {
  variables: string[]
  declares: boolean
  /** The first command, if it is not a variable for the result. */
  command?: Command
}

function parseFirst(tokens: TokenReader, pairs: boolean): First {
  const none: First = { variables: [], declares: false }
  if (tokens.peek()?.kind !== 'variable') return none
  const variable = tokens.expect('variable')
  const names = [variable.text]
  if (pairs && tokens.peek()?.kind === 'comma') {
    tokens.next()
    names.push(tokens.expect('variable').text)
  }
  const sign = tokens.peek()
  if (sign?.kind === 'declare' || sign?.kind === 'assign') {
    tokens.next()
    const declares = sign.kind === 'declare'
    if (!declares) for (const name of names) requireDeclared(tokens, name, variable.offset)
    return { variables: names, declares }
  }
  if (names.length > 1) tokens.fail('expected := here')
  return { ...none, command: parseCommand(tokens, false, variable) }
}

/** @param isPiped whether the previous result is its last argument. */
function parseCommand(tokens: TokenReader, isPiped: boolean, first?: Token): Command {
  const head = parseOperand(tokens, first)
  const rest: Operand[] = []
  while (startsOperand(tokens.peek())) rest.push(parseOperand(tokens))
  if (head.kind !== 'call') {
    const isGiven = isPiped || rest.length > 0
    return isGiven ? tokens.fail('only a function accepts a piped value', head.offset) : head
  }
  const call = { ...head, arguments: [...head.arguments, ...rest] }
  for (const operand of rest) requireArguments(tokens, operand)
  requireCount(tokens, call, call.arguments.length + (isPiped ? 1 : 0))
  return call
}

/** Requires the arity of a function that is an argument, and is called without arguments. */
function requireArguments(tokens: TokenReader, operand: Operand): void {
  if (operand.kind === 'call') requireCount(tokens, operand, 0)
}

function requireCount(
  tokens: TokenReader,
  { name, offset }: { name: string; offset: number },
  count: number,
): void {
  const [least, most] = arityOf(name) ?? tokens.fail(`there is no function ${name}`, offset)
  if (count < least || count > most)
    tokens.fail(`${name} requires another number of values`, offset)
}

const endOfCommand = new Set(['close', 'pipe', 'right'])

const startsOperand = (token: Token | null): boolean =>
  token !== null && !endOfCommand.has(token.kind)

/** Parses a value with its fields: `$user.Data.name`. */
function parseOperand(tokens: TokenReader, first?: Token): Operand {
  let operand = parseTerm(tokens, first ?? tokens.next())
  for (;;) {
    const token = tokens.peek()
    if (token?.kind !== 'field' || token.isSpaced) return operand
    if (!hasFields.has(operand.kind)) tokens.fail('this has no fields')
    tokens.next()
    operand = { kind: 'field', of: operand, name: token.text.slice(1), offset: token.offset }
  }
}

const hasFields = new Set(['field', 'variable', 'pipeline'])

function parseTerm(tokens: TokenReader, token: Token | null): Operand {
  const { offset, text = '' } = token ?? { offset: undefined }
  if (token === null || offset === undefined) return tokens.fail('expected a value here')
  switch (token.kind) {
    case 'dot':
      return { kind: 'dot', offset }
    case 'field':
      return { kind: 'field', of: { kind: 'dot', offset }, name: text.slice(1), offset }
    case 'variable':
      requireDeclared(tokens, text, offset)
      return { kind: 'variable', name: text, offset }
    case 'left':
      return parseParenthesis(tokens, offset)
    case 'word':
      return parseWord(text, offset)
    case 'string':
    case 'raw':
      return { kind: 'literal', value: readString(tokens, token), offset }
    case 'char':
      return { kind: 'literal', value: readString(tokens, token).codePointAt(0) ?? 0, offset }
    case 'number':
      return { kind: 'literal', value: Number(text), offset }
    default:
      return tokens.fail('expected a value here', offset)
  }
}

function parseParenthesis(tokens: TokenReader, offset: number): Operand {
  const pipeline = tokens.nested(() => parsePipeline(tokens))
  tokens.expect('right')
  return { kind: 'pipeline', pipeline, offset }
}

const constants = new Map<string, boolean | null>([
  ['true', true],
  ['false', false],
  ['nil', null],
])

function parseWord(text: string, offset: number): Operand {
  const constant = constants.get(text)
  if (constant !== undefined) return { kind: 'literal', value: constant, offset }
  return { kind: 'call', name: text, arguments: [], offset }
}

function requireDeclared(tokens: TokenReader, variable: string, offset: number): void {
  if (!tokens.isDeclared(variable)) tokens.fail(`there is no variable ${variable}`, offset)
}

/** The functions that templates may call, with their minimum and maximum number of arguments. */
const arities = new Map<string, readonly [number, number]>([
  ['and', [1, Number.POSITIVE_INFINITY]],
  ['or', [1, Number.POSITIVE_INFINITY]],
  ['not', [1, 1]],
  ['eq', [2, Number.POSITIVE_INFINITY]],
  ['ne', [2, 2]],
  ['lt', [2, 2]],
  ['le', [2, 2]],
  ['gt', [2, 2]],
  ['ge', [2, 2]],
  ['len', [1, 1]],
  ['index', [1, Number.POSITIVE_INFINITY]],
  ['slice', [1, 3]],
  ['print', [0, Number.POSITIVE_INFINITY]],
  ['printf', [1, Number.POSITIVE_INFINITY]],
  ['println', [0, Number.POSITIVE_INFINITY]],
  ['html', [1, Number.POSITIVE_INFINITY]],
  ['js', [1, Number.POSITIVE_INFINITY]],
  ['urlquery', [1, Number.POSITIVE_INFINITY]],
])

/**
 * Returns the number of arguments of a function; null if it does not exist. `call` is not
 * supported: it runs functions that are passed to a template, and none is.
 */
const arityOf = (name: string): readonly [number, number] | null => arities.get(name) ?? null
