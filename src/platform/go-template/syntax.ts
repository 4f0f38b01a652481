/**
 * The syntax tree of a template. Every node that can fail has its offset in the source.
 *
 * @see https://pkg.go.dev/text/template
 */
export interface Template {
  source: string
  body: readonly TemplateStatement[]
  /** Bodies by name, from `define` and `block`. */
  definitions: ReadonlyMap<string, readonly TemplateStatement[]>
}

export type TemplateStatement = Text | Print | Branch | Range | Include | Jump

interface Text {
  kind: 'text'
  text: string
}

/** `{{ pipeline }}` */
export interface Print {
  kind: 'print'
  pipeline: Pipeline
}

/** `if` keeps the dot, `with` sets it to the value. */
export interface Branch {
  kind: 'if' | 'with'
  pipeline: Pipeline
  body: readonly TemplateStatement[]
  otherwise: readonly TemplateStatement[]
}

export interface Range {
  kind: 'range'
  pipeline: Pipeline
  body: readonly TemplateStatement[]
  otherwise: readonly TemplateStatement[]
}

/** `{{ template "name" pipeline }}` */
export interface Include {
  kind: 'include'
  name: string
  /** The dot of the included template; null: no value. */
  pipeline: Pipeline | null
  offset: number
}

export type Jump = { kind: 'break' } | { kind: 'continue' }

/** Commands; the result of each is the last argument of the next. */
export interface Pipeline {
  commands: readonly Command[]
  /** The variables for the result. Two only in `range $key, $value := …`. */
  variables: readonly string[]
  /** `:=` declares the variables, `=` assigns them. */
  declares: boolean
  offset: number
}

/** A value, or a function with its arguments. */
export type Command = Operand | FunctionCall

export interface FunctionCall {
  kind: 'call'
  name: string
  arguments: readonly Operand[]
  offset: number
}

export type Operand =
  | { kind: 'literal'; value: string | number | boolean | null; offset: number }
  | { kind: 'dot'; offset: number }
  | { kind: 'variable'; name: string; offset: number }
  | { kind: 'field'; of: Operand; name: string; offset: number }
  | { kind: 'pipeline'; pipeline: Pipeline; offset: number }
  | FunctionCall
