/** The kind of error: the template's syntax, its use of the data, or a limit. */
export type TemplateFault = 'syntax' | 'execution' | 'limit'

/**
 * The only error of parsing and rendering. Its message contains positions and names of the
 * template, never a value: that may be a code, a link or an address.
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

/** Returns the position of the character at this offset. */
export function positionOf(source: string, offset: number): Position {
  const before = source.slice(0, offset)
  const lineStart = before.lastIndexOf('\n') + 1
  return { line: before.split('\n').length, column: offset - lineStart + 1 }
}
