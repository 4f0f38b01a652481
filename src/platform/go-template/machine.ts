import type { TemplateFunction } from './functions.ts'
import type { Template } from './syntax.ts'
import { positionOf, TemplateError, type TemplateFault } from './template-error.ts'

/** The maximum number of steps, far more than any mail needs. */
export const maxSteps = 100_000
/**
 * The maximum number of characters that a template may write, and that its functions may create.
 */
const maxLength = 1_000_000

export interface Machine {
  template: Template
  functions: ReadonlyMap<string, TemplateFunction>
  /** Whether printing a missing value is an error. */
  isStrict: boolean
  /** Counts work of this size. @throws TemplateError above the limit. */
  spend(offset: number, length?: number): void
  fail(fault: TemplateFault, reason: string, offset: number): never
}

/** The variables; the innermost block's are last. */
export interface Frame {
  dot: unknown
  variables: readonly Variable[]
}

interface Variable {
  name: string
  value: unknown
}

/** Creates the state for one evaluation of a template. */
export function openMachine(
  template: Template,
  { functions, isStrict }: Pick<Machine, 'functions' | 'isStrict'>,
): Machine {
  const fail = (fault: TemplateFault, reason: string, offset: number): never => {
    throw new TemplateError(fault, reason, positionOf(template.source, offset))
  }
  let steps = 0
  let length = 0
  const spend = (offset: number, more = 0): void => {
    steps += 1
    length += more
    if (steps > maxSteps) fail('limit', 'the template exceeds the number of steps', offset)
    if (length > maxLength) fail('limit', 'the template exceeds the number of characters', offset)
  }
  return { template, functions, isStrict, spend, fail }
}
