import { fails, type Parser, type Reading, reads } from './parser.ts'

/**
 * A list of strings, separated by commas in the environment. White space around items and empty
 * items are dropped. Separators alone are rejected, since an empty list of permitted values permits
 * all.
 *
 * @param item the kind of each item. Default: a string that is not empty.
 */
export function list(item?: Parser<string>): Parser<readonly string[], readonly string[]> {
  return {
    name: 'list',
    emptyMeansAbsent: true,
    parse: (text) => {
      const items = splitAt(text, ',')
      return items.length === 0 ? fails('must contain an item, or be empty') : reads(items)
    },
    check: (given) => {
      if (!Array.isArray(given)) return fails('must be a list of strings')
      return collect(given.map((one) => (item ?? nonEmpty).check(one)))
    },
  }
}

/** A list; the environment may also contain a JSON array. */
export const jsonOrList = (
  item?: Parser<string>,
): Parser<readonly string[], readonly string[]> => ({
  ...list(item),
  parse: (text) => {
    if (!text.trimStart().startsWith('[')) return list().parse(text)
    try {
      return reads(JSON.parse(text))
    } catch {
      // The parser's message is dropped, since it quotes the text.
      return fails('must be JSON, or strings separated by commas')
    }
  },
})

/** A list that mostly has one item: in code, a string is split as in the environment. */
export const oneOrMore: Parser<readonly string[], string | readonly string[]> = {
  name: 'list',
  emptyMeansAbsent: true,
  parse: reads,
  check: (given) => list().check(typeof given === 'string' ? splitAt(given, ',') : given),
}

/**
 * Sets of characters, separated by `:` in the environment. A backslash before `:` makes it a
 * character of the set.
 */
export const characterSets: Parser<readonly string[], readonly string[]> = {
  name: 'character sets',
  emptyMeansAbsent: true,
  parse: (text) => {
    // Splits at colons without a backslash before them.
    const sets = text.split(/(?<!\\):/).map((set) => set.replaceAll('\\:', ':'))
    const given = sets.filter((set) => set !== '')
    return given.length > 0 ? reads(given) : fails('must contain a set of characters')
  },
  check: (given) => {
    if (!Array.isArray(given)) return fails('must be a list of sets of characters')
    return collect(given.map((set) => nonEmpty.check(set)))
  },
}

const anyText: Parser<string> = {
  name: 'text',
  emptyMeansAbsent: true,
  parse: reads,
  check: (given) => (typeof given === 'string' ? reads(given) : fails('must be a string')),
}

/** A string with at least one character. */
export const nonEmpty: Parser<string> = {
  ...anyText,
  check: (given) => (given === '' ? fails('must not be empty') : anyText.check(given)),
}

/** Returns the items of a text, trimmed and without empty ones. */
export function splitAt(text: string, separator: string | RegExp): string[] {
  return text
    .split(separator)
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

/** Returns all values, or all problems with the index of their item. */
export function collect<Value>(readings: readonly Reading<Value>[]): Reading<readonly Value[]> {
  const problems = readings.flatMap((reading, index) =>
    'problems' in reading
      ? reading.problems.map(({ message, at = '' }) => ({ message, at: `[${index}]${at}` }))
      : [],
  )
  if (problems.length > 0) return { problems }
  return reads(readings.flatMap((reading) => ('value' in reading ? [reading.value] : [])))
}
