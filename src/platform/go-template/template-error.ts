/** What went wrong: the template's form, its use of this data, or its appetite. */
export type TemplateFault = 'syntax' | 'execution' | 'limit'

/**
 * The only thing that parsing and rendering throw. Its message names places and names of the template,
 * never a value: that may be a code, a link or an address.
 */
export class TemplateError extends Error {
  override readonly name = 'TemplateError'
  readonly fault: TemplateFault
  /** Both count from 1. */
  readonly line: number
  readonly column: number

  constructor(fault: TemplateFault, reason: string, { line, column }: Position) {
    super(`line ${line}, column ${column}: ${reason}`)
    this.fault = fault
    this.line = line
    this.column = column
  }
}

export interface Position {
  line: number
  column: number
}

/** Where the character at this offset is. */
export function positionOf(source: string, offset: number): Position {
  const before = source.slice(0, offset)
  const lineStart = before.lastIndexOf('\n') + 1
  return { line: before.split('\n').length, column: offset - lineStart + 1 }
}
