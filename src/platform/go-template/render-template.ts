import {
  evaluatePipeline,
  type Frame,
  type Machine,
  maxSteps,
  openMachine,
} from './evaluate-pipeline.ts'
import { functions, type TemplateFunction } from './functions.ts'
import { htmlOutput, type Output, plainOutput } from './output.ts'
import type {
  Branch,
  Include,
  Jump,
  Pipeline,
  Print,
  Range,
  Template,
  TemplateStatement,
} from './syntax.ts'
import { maxDepth } from './token-reader.ts'
import { isMap, isMissing, isTrue, printed } from './values.ts'

/** In a page every value is escaped for its place, so the template's own escaping has no effect. */
const pageFunctions = new Map([
  ...functions,
  ['html', (values: readonly unknown[]) => values.map((value) => printed(value)).join('')] as const,
])

/**
 * Renders a template for a page. Every value is escaped for its place: text, attribute, URL (only
 * `http`, `https` and `mailto`), style or script. Missing values print nothing.
 *
 * @throws TemplateError if the template does not fit the data, or exceeds the limits.
 */
export const renderHtml = (template: Template, data: unknown): string =>
  evaluate(template, data, { output: htmlOutput(), functions: pageFunctions, isStrict: false })

/**
 * Renders a template for plain text, without escaping.
 *
 * @param options.isStrict whether printing a missing value is an error. Default false.
 * @throws TemplateError
 */
export const renderText = (template: Template, data: unknown, { isStrict = false } = {}): string =>
  evaluate(template, data, { output: plainOutput(), functions, isStrict })

interface EvaluateOptions {
  output: Output
  functions: ReadonlyMap<string, TemplateFunction>
  isStrict: boolean
}

/**
 * Evaluates a template.
 *
 * @throws TemplateError only, for JSON data.
 */
function evaluate(
  template: Template,
  data: unknown,
  { output, functions, isStrict }: EvaluateOptions,
): string {
  const run: Run = {
    machine: openMachine(template, { functions, isStrict }),
    output,
    written: [],
    depth: 0,
  }
  runAll(run, template.body, { dot: data, variables: [{ name: '$', value: data }] })
  return run.written.join('')
}

interface Run {
  machine: Machine
  output: Output
  written: string[]
  /** The depth of included templates. */
  depth: number
}

/** How a list of statements ended: at its end, or by leaving the enclosing range. */
type Ending = 'end' | 'break' | 'continue'

function runAll(run: Run, statements: readonly TemplateStatement[], outer: Frame): Ending {
  let frame = outer
  for (const statement of statements) {
    if (statement.kind === 'break' || statement.kind === 'continue') return statement.kind
    if (statement.kind === 'print') {
      frame = runPrint(run, statement, frame)
      continue
    }
    const ending = runOne(run, statement, frame)
    if (ending !== 'end') return ending
  }
  return 'end'
}

function runOne(
  run: Run,
  statement: Exclude<TemplateStatement, Print | Jump>,
  frame: Frame,
): Ending {
  switch (statement.kind) {
    case 'text':
      write(run, run.output.literal(statement.text), 0)
      return 'end'
    case 'include':
      runInclude(run, statement, frame)
      return 'end'
    case 'range':
      return runRange(run, statement, frame)
    default:
      return runBranch(run, statement, frame)
  }
}

/** @returns the frame of the next statements, with a further variable after `{{ $x := … }}`. */
function runPrint(run: Run, { pipeline }: Print, frame: Frame): Frame {
  const value = evaluatePipeline(run.machine, pipeline, frame)
  if (pipeline.variables.length > 0) return stored(pipeline, frame, [value])
  const text = run.output.value(printed(value), endsInQueryEscape(pipeline))
  if (text === null) {
    run.machine.fail('execution', 'a value is not allowed inside a tag', pipeline.offset)
  }
  write(run, text ?? '', pipeline.offset)
  return frame
}

function write(run: Run, text: string, offset: number): void {
  run.machine.spend(offset, text.length)
  run.written.push(text)
}

function endsInQueryEscape({ commands }: Pipeline): boolean {
  const last = commands.at(-1)
  return last?.kind === 'call' && last.name === 'urlquery'
}

function runBranch(run: Run, { kind, pipeline, body, otherwise }: Branch, frame: Frame): Ending {
  const value = evaluatePipeline(run.machine, pipeline, frame)
  const inside = pipeline.variables.length > 0 ? stored(pipeline, frame, [value]) : frame
  if (!isTrue(value)) return runAll(run, otherwise, inside)
  return runAll(run, body, kind === 'with' ? { ...inside, dot: value } : inside)
}

function runRange(run: Run, { pipeline, body, otherwise }: Range, frame: Frame): Ending {
  const entries = entriesOf(run.machine, evaluatePipeline(run.machine, pipeline, frame), pipeline)
  if (entries.length === 0) return runAll(run, otherwise, frame)
  for (const [key, value] of entries) {
    run.machine.spend(pipeline.offset)
    const values = pipeline.variables.length > 1 ? [key, value] : [value]
    const inside = pipeline.variables.length > 0 ? stored(pipeline, frame, values) : frame
    if (runAll(run, body, { ...inside, dot: value }) === 'break') break
  }
  return 'end'
}

/**
 * Returns the entries of a range: of a list, of a map by sorted names, or the numbers below one.
 */
function entriesOf(machine: Machine, value: unknown, { offset }: Pipeline): [unknown, unknown][] {
  if (isMissing(value)) return []
  if (Array.isArray(value)) return [...value.entries()]
  if (isMap(value)) {
    return Object.keys(value)
      .toSorted()
      .map((name) => [name, value[name]])
  }
  if (!Number.isInteger(value)) {
    return machine.fail('execution', 'a range requires a list or a map', offset)
  }
  const length = Math.max(0, Number(value))
  if (length > maxSteps) return machine.fail('limit', 'the range is too long', offset)
  return Array.from({ length }, (_item, index) => [index, index])
}

function runInclude(run: Run, { name, pipeline, offset }: Include, frame: Frame): void {
  if (run.depth >= maxDepth)
    run.machine.fail('limit', 'templates include each other too deeply', offset)
  const dot = pipeline && evaluatePipeline(run.machine, pipeline, frame)
  const body = run.machine.template.definitions.get(name) ?? []
  run.depth++
  runAll(run, body, { dot, variables: [{ name: '$', value: dot }] })
  run.depth--
}

/** Assigns values to the variables of a pipeline, new or existing ones. */
function stored({ variables, declares }: Pipeline, frame: Frame, values: unknown[]): Frame {
  const pairs = variables.map((name, index) => ({ name, value: values[index] }))
  if (declares) return { ...frame, variables: [...frame.variables, ...pairs] }
  for (const { name, value } of pairs) {
    const variable = frame.variables.findLast((one) => one.name === name)
    if (variable) variable.value = value
  }
  return frame
}
