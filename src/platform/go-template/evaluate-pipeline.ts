import { CallError, type TemplateFunction } from './functions.ts'
import type { Command, FunctionCall, Operand, Pipeline, Template } from './syntax.ts'
import { positionOf, TemplateError, type TemplateFault } from './template-error.ts'
import { isMap, isMissing, isTrue, memberOf } from './values.ts'

/** Returns the value of a pipeline. The caller assigns it to variables. */
export function evaluatePipeline(machine: Machine, pipeline: Pipeline, frame: Frame): unknown {
  const [first, ...rest] = pipeline.commands
  let value = first && evaluateCommand(machine, first, frame, [])
  for (const command of rest) value = evaluateCommand(machine, command, frame, [value])
  return value
}

function evaluateCommand(
  machine: Machine,
  command: Command,
  frame: Frame,
  piped: readonly unknown[],
): unknown {
  return command.kind === 'call'
    ? evaluateCall(machine, command, frame, piped)
    : evaluateOperand(machine, command, frame)
}

function evaluateCall(
  machine: Machine,
  { name, arguments: operands, offset }: FunctionCall,
  frame: Frame,
  piped: readonly unknown[] = [],
): unknown {
  machine.spend(offset)
  if (name === 'and' || name === 'or') return decide(machine, name, operands, frame, piped)
  const given = operands.map((operand) => evaluateOperand(machine, operand, frame))
  const result = runFunction(machine, name, [...given, ...piped], offset)
  // Each iteration of a range can double a string.
  if (typeof result === 'string') machine.spend(offset, result.length)
  return result
}

function runFunction(
  { functions, fail }: Machine,
  name: string,
  values: unknown[],
  offset: number,
): unknown {
  try {
    return functions.get(name)?.(values)
  } catch (error) {
    if (error instanceof CallError) return fail('execution', `${name}: ${error.message}`, offset)
    throw error
  }
}

/**
 * Returns the first decisive value of `and` or `or`, or the last one. Later values are not
 * evaluated.
 */
function decide(
  machine: Machine,
  name: 'and' | 'or',
  operands: readonly Operand[],
  frame: Frame,
  piped: readonly unknown[],
): unknown {
  const settles = (value: unknown) => isTrue(value) === (name === 'or')
  let value: unknown
  for (const operand of operands) {
    value = evaluateOperand(machine, operand, frame)
    if (settles(value)) return value
  }
  return piped.length > 0 ? piped[0] : value
}

function evaluateOperand(machine: Machine, operand: Operand, frame: Frame): unknown {
  machine.spend(operand.offset)
  switch (operand.kind) {
    case 'literal':
      return operand.value
    case 'dot':
      return frame.dot
    case 'variable':
      return frame.variables.findLast(({ name }) => name === operand.name)?.value
    case 'pipeline':
      return evaluateParenthesis(machine, operand.pipeline, frame)
    case 'call':
      return evaluateCall(machine, operand, frame)
    case 'field':
      return fieldOf(machine, evaluateOperand(machine, operand.of, frame), operand)
  }
}

/** `($x = .A)` also assigns the variable; one declared here would end with the parenthesis. */
function evaluateParenthesis(machine: Machine, pipeline: Pipeline, frame: Frame): unknown {
  const value = evaluatePipeline(machine, pipeline, frame)
  const [name] = pipeline.declares ? [] : pipeline.variables
  const variable = frame.variables.findLast((one) => one.name === name)
  if (variable) variable.value = value
  return value
}

function fieldOf(
  { isStrict, fail }: Machine,
  value: unknown,
  { name, offset }: { name: string; offset: number },
): unknown {
  if (isMissing(value)) return fail('execution', `.${name} is read from a missing value`, offset)
  if (!isMap(value))
    return fail('execution', `.${name} is read from a value without fields`, offset)
  const member = memberOf(value, name)
  if (isStrict && member === undefined) return fail('execution', `there is no .${name}`, offset)
  return member
}

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
