/**
 * A template, taken apart. Every part that can fail knows its offset in the source.
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

/** `if` leaves the dot as it is, `with` moves it to the value. */
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
  /** What the dot becomes; null: nothing. */
  pipeline: Pipeline | null
  offset: number
}

export type Jump = { kind: 'break' } | { kind: 'continue' }

/** Commands, each of which is handed the result of the one before. */
export interface Pipeline {
  commands: readonly Command[]
  /** Variables that take the result. Two only in `range $key, $value := …`. */
  variables: readonly string[]
  /** `:=` makes the variables, `=` sets them. */
  declares: boolean
  offset: number
}

/** A value, or a function and what it is called with. */
export type Command = Operand | Call

export interface Call {
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
  | Call
