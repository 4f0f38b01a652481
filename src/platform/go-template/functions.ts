import { escapeHtml, escapeQuery, escapeScript } from './escape.ts'
import { isMap, isMissing, isTrue, memberOf, printed } from './values.ts'

/** An error in a function's arguments, which becomes an error at the place of the call. */
export class CallError extends Error {}

export type TemplateFunction = (values: readonly unknown[]) => unknown

/** The functions of `parse-pipeline.ts` except `and` and `or`, which do not evaluate all arguments. */
export const functions: ReadonlyMap<string, TemplateFunction> = new Map<string, TemplateFunction>([
  ['not', ([value]) => !isTrue(value)],
  ['eq', ([value, ...others]) => others.some((other) => isEqual(value, other))],
  ['ne', ([value, other]) => !isEqual(value, other)],
  ['lt', ([value, other]) => compare(value, other) < 0],
  ['le', ([value, other]) => compare(value, other) <= 0],
  ['gt', ([value, other]) => compare(value, other) > 0],
  ['ge', ([value, other]) => compare(value, other) >= 0],
  ['len', ([value]) => lengthOf(value)],
  ['index', ([value, ...keys]) => keys.reduce(indexed, value)],
  ['slice', ([value, ...bounds]) => slice(value, bounds)],
  ['print', print],
  ['printf', ([format, ...values]) => formatted(requireText(format), values)],
  ['println', (values) => `${values.map((value) => printed(value)).join(' ')}\n`],
  ['html', (values) => escapeHtml(print(values))],
  ['js', (values) => escapeScript(print(values))],
  ['urlquery', (values) => escapeQuery(print(values))],
])

/** Inserts a space between two values of which neither is a string. */
function print(values: readonly unknown[]): string {
  return values
    .map((value, index) => {
      const before = values[index - 1]
      const isApart = index > 0 && typeof value !== 'string' && typeof before !== 'string'
      return `${isApart ? ' ' : ''}${printed(value)}`
    })
    .join('')
}

function isEqual(value: unknown, other: unknown): boolean {
  if (isMissing(value) || isMissing(other)) return isMissing(value) && isMissing(other)
  if (typeof value === 'object' || typeof other === 'object') {
    throw new CallError('lists and maps cannot be compared')
  }
  return value === other
}

function compare(value: unknown, other: unknown): number {
  if (typeof value === 'number' && typeof other === 'number') return value - other
  if (typeof value !== 'string' || typeof other !== 'string') {
    throw new CallError('only two numbers or two strings have an order')
  }
  return value < other ? -1 : Number(value > other)
}

/** Returns the length; of a string in characters, not bytes. */
function lengthOf(value: unknown): number {
  if (typeof value === 'string') return [...value].length
  if (Array.isArray(value)) return value.length
  if (isMap(value)) return Object.keys(value).length
  throw new CallError('this has no length')
}

function indexed(value: unknown, key: unknown): unknown {
  if (isMap(value)) return memberOf(value, requireText(key))
  if (!Array.isArray(value)) throw new CallError('only lists and maps have an index')
  return value[requireBound(key, value.length - 1)]
}

function slice(value: unknown, bounds: readonly unknown[]): unknown {
  const items = typeof value === 'string' ? [...value] : value
  if (!Array.isArray(items)) throw new CallError('only strings and lists can be sliced')
  const end = bounds.length > 1 ? requireBound(bounds[1], items.length) : items.length
  const start = bounds.length > 0 ? requireBound(bounds[0], end) : 0
  const part = items.slice(start, end)
  return typeof value === 'string' ? part.join('') : part
}

function requireBound(value: unknown, most: number): number {
  const isWithin = typeof value === 'number' && Number.isInteger(value) && value >= 0
  if (!isWithin || value > most) throw new CallError('this is out of range')
  return value
}

function requireText(value: unknown): string {
  if (typeof value !== 'string') throw new CallError('this must be a string')
  return value
}

const verb =
  /%(?<flags>[-+ 0#]*)(?<width>\d{0,3})(?:\.(?<precision>\d{0,2}))?(?<letter>[a-zA-Z%])/gu

/**
 * Implements `printf` with the verbs for text: `%s %v %q %d %f %e %g %x %X %c %t %%`, with width,
 * precision and the flags `-`, `+` and `0`. A verb that does not fit its value is reported in the
 * result, as in `%!d(text)`.
 */
function formatted(format: string, values: readonly unknown[]): string {
  let next = 0
  return format.replace(verb, (...match) => {
    const groups: Record<string, string | undefined> = match.at(-1)
    const letter = groups['letter'] ?? ''
    if (letter === '%') return '%'
    if (next >= values.length) return `%!${letter}(MISSING)`
    const spec = {
      flags: groups['flags'] ?? '',
      precision: groups['precision'] === undefined ? null : Number(groups['precision']),
    }
    const text = oneFormatted(letter, values[next++], spec)
    return padded(text, spec.flags, Number(groups['width'] ?? 0))
  })
}

interface Spec {
  flags: string
  precision: number | null
}

function oneFormatted(letter: string, value: unknown, { flags, precision }: Spec): string {
  if (letter === 's' || letter === 'v') {
    const text = printed(value)
    return precision === null ? text : [...text].slice(0, precision).join('')
  }
  if (letter === 'q') return JSON.stringify(printed(value))
  if (letter === 't' && typeof value === 'boolean') return String(value)
  if (letter.toLowerCase() === 'x' && typeof value === 'string') return hex(value, letter)
  if (typeof value !== 'number') return `%!${letter}(${printed(value)})`
  const text = formattedNumber(letter, value, precision)
  if (text === null) return `%!${letter}(${value})`
  return flags.includes('+') && value >= 0 ? `+${text}` : text
}

function formattedNumber(letter: string, value: number, precision: number | null): string | null {
  const isWhole = Number.isInteger(value)
  switch (letter) {
    case 'd':
      return isWhole ? String(value) : null
    case 'x':
      return isWhole ? value.toString(16) : null
    case 'X':
      return isWhole ? value.toString(16).toUpperCase() : null
    case 'c':
      return isWhole && value >= 0 && value <= 0x10ffff ? String.fromCodePoint(value) : null
    case 'f':
      return value.toFixed(precision ?? 6)
    case 'e':
      return value.toExponential(precision ?? 6)
    case 'g':
      return precision ? String(Number(value.toPrecision(precision))) : String(value)
    default:
      return null
  }
}

function hex(text: string, letter: string): string {
  const digits = Buffer.from(text).toString('hex')
  return letter === 'X' ? digits.toUpperCase() : digits
}

function padded(text: string, flags: string, width: number): string {
  if (flags.includes('-')) return text.padEnd(width)
  if (!flags.includes('0') || !/^[+-]?\d/.test(text)) return text.padStart(width)
  const sign = /^[+-]/.exec(text)?.[0] ?? ''
  return sign + text.slice(sign.length).padStart(width - sign.length, '0')
}
