import { isRecord } from '../../kit/is-record.ts'
import { collect, nonEmpty, splitAt } from './lists.ts'
import { fails, isFailure, type Parser, type Reading, reads } from './parser.ts'

type Texts = Readonly<Record<string, string>>

/**
 * Strings by name; in the environment pairs separated by commas.
 *
 * @param separator the separator of name and value in the environment.
 */
export function map(separator: ':' | '='): Parser<Texts, Texts> {
  const mustBe = `must be pairs such as name${separator}value, separated by commas`
  return {
    name: 'map',
    emptyMeansAbsent: true,
    parse: (text) => {
      const pairs = splitAt(text, ',').map((pair) => takeApart(pair, separator))
      const isRight = pairs.length > 0 && pairs.every(isPair)
      return isRight ? reads(Object.fromEntries(pairs)) : fails(mustBe)
    },
    check: (given) => (isTexts(given) ? reads({ ...given }) : fails('must map names to strings')),
  }
}

/** Splits at the first separator: the value may contain it again, as base64 does. */
function takeApart(pair: string, separator: string): [name: string, value: string] {
  const [name = '', ...value] = pair.split(separator)
  return [name.trim(), value.join(separator).trim()]
}

const isPair = ([name, value]: [string, string]) => name !== '' && value !== ''

const isTexts = (given: unknown): given is Texts =>
  isRecord(given) && Object.values(given).every((value) => typeof value === 'string')

type ListsByName = Readonly<Record<string, readonly string[]>>

/**
 * Lists of strings by name; in the environment `name=value[,value…]` pairs separated by spaces. A
 * name without `=` has an empty list.
 *
 * @param form the form of a pair and an example in code, for messages.
 */
export function listMap(form: {
  pair: string
  inCode: string
  name: Parser<string>
  value?: Parser<string>
  /** Whether each name requires a value. Default false. */
  requiresValues?: boolean
}): Parser<ListsByName, ListsByName> {
  const mustBe = `must be ${form.pair} pairs separated by spaces; in code, ${form.inCode}`
  return {
    name: 'lists by name',
    emptyMeansAbsent: true,
    parse: (text) => {
      const pairs = splitAt(text, /\s+/).flatMap(readListPairs)
      const isWhole = pairs.every(([name, values]) => name !== '' && values.every(isListValue))
      return isWhole ? reads(mergeLists(pairs)) : fails(mustBe)
    },
    check: (given) => {
      if (!isLists(given)) return fails(mustBe)
      const isEmpty = Object.values(given).some((values) => values.length === 0)
      if (form.requiresValues && isEmpty) return fails(mustBe)
      const readings = Object.entries(given).map(([name, values]) =>
        readLists(form, mustBe, name, values),
      )
      const found = collect(readings)
      return isFailure(found) ? found : reads(Object.fromEntries(found.value))
    },
  }
}

/** Rejects a URL with `=`: it is the next pair, after a comma in place of a space. */
const isListValue = (value: string): boolean => value !== '' && !/^https?:\/\/.*=/i.test(value)

type ListEntry = [name: string, values: readonly string[]]

/**
 * Reads an item without `=` in an older form: names separated by commas, each with an empty list.
 */
function readListPairs(item: string): ListEntry[] {
  const end = item.indexOf('=')
  if (end === -1) return splitAt(item, ',').map((name) => [name, []])
  const name = item.slice(0, end)
  const values = item.slice(end + 1).split(',')
  // A comma before the first `=` separates pairs, which is invalid.
  return [[name.includes(',') ? '' : name, values]]
}

function mergeLists(pairs: readonly ListEntry[]): ListsByName {
  const merged = new Map<string, readonly string[]>()
  for (const [name, values] of pairs) merged.set(name, [...(merged.get(name) ?? []), ...values])
  return Object.fromEntries(merged)
}

function readLists(
  { name: nameKind, value: valueKind = nonEmpty }: { name: Parser<string>; value?: Parser<string> },
  mustBe: string,
  name: string,
  values: readonly unknown[],
): Reading<ListEntry> {
  const named = nameKind.check(name)
  if (isFailure(named)) return fails(mustBe)
  const read = collect(values.map((value) => valueKind.check(value)))
  return isFailure(read) ? read : reads([named.value, [...new Set(read.value)]])
}

const isLists = (given: unknown): given is Record<string, readonly unknown[]> =>
  isRecord(given) && Object.values(given).every((values) => Array.isArray(values))

/** Pairs in the format of OpenTelemetry, with percent-encoded values. @see W3C Baggage §3.2 */
export const encodedMap: Parser<Texts, Texts> = {
  ...map('='),
  parse: (text) => {
    const pairs = map('=').parse(text)
    if (isFailure(pairs)) return pairs
    try {
      return reads(
        Object.fromEntries(
          Object.entries(pairs.value).map(([name, value]) => [name, decodeURIComponent(value)]),
        ),
      )
    } catch {
      return fails('must be pairs such as name=value, with percent-encoded values')
    }
  },
}
