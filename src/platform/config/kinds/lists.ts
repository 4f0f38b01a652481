import { fails, type Kind, type Reading, reads } from './kind.ts'

/**
 * Several texts, in the environment separated by commas. White space around an item is dropped, and
 * so are empty items. Separators alone are rejected: an empty list of permitted values permits all.
 *
 * @param item what each must be. Any text that is not empty when left out.
 */
export function list(item?: Kind<string>): Kind<readonly string[], readonly string[]> {
  return {
    name: 'list',
    emptyMeansAbsent: true,
    parse: (text) => {
      const items = splitAt(text, ',')
      return items.length === 0 ? fails('must contain an item, or be empty') : reads(items)
    },
    check: (given) => {
      if (!Array.isArray(given)) return fails('must be a list of texts')
      return collect(given.map((one) => (item ?? nonEmpty).check(one)))
    },
  }
}

/** Like a list; the environment may also hold a JSON array. */
export const jsonOrList = (item?: Kind<string>): Kind<readonly string[], readonly string[]> => ({
  ...list(item),
  parse: (text) => {
    if (!text.trimStart().startsWith('[')) return list().parse(text)
    try {
      return reads(JSON.parse(text))
    } catch {
      // The parser's own message would quote the text.
      return fails('must be JSON, or texts separated by commas')
    }
  },
})

/** Like a list, for values that mostly come alone: in code, a text is split as the environment is. */
export const oneOrMore: Kind<readonly string[], string | readonly string[]> = {
  name: 'list',
  emptyMeansAbsent: true,
  parse: reads,
  check: (given) => list().check(typeof given === 'string' ? splitAt(given, ',') : given),
}

/**
 * Sets of characters, in the environment separated by `:`. A backslash before `:` makes it a
 * character of the set.
 */
export const characterSets: Kind<readonly string[], readonly string[]> = {
  name: 'character sets',
  emptyMeansAbsent: true,
  parse: (text) => {
    // Taken apart at the colons that no backslash stands before.
    const sets = text.split(/(?<!\\):/).map((set) => set.replaceAll('\\:', ':'))
    const given = sets.filter((set) => set !== '')
    return given.length > 0 ? reads(given) : fails('must contain a set of characters')
  },
  check: (given) => {
    if (!Array.isArray(given)) return fails('must be a list of sets of characters')
    return collect(given.map((set) => nonEmpty.check(set)))
  },
}

const anyText: Kind<string> = {
  name: 'text',
  emptyMeansAbsent: true,
  parse: reads,
  check: (given) => (typeof given === 'string' ? reads(given) : fails('must be a text')),
}

/** A text with at least one character. */
export const nonEmpty: Kind<string> = {
  ...anyText,
  check: (given) => (given === '' ? fails('must not be empty') : anyText.check(given)),
}

/** The items of a text, without white space around them, and without empty ones. */
export function splitAt(text: string, separator: string | RegExp): string[] {
  return text
    .split(separator)
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

/** All the values, or all the problems, each with the number of its item. */
export function collect<Value>(readings: readonly Reading<Value>[]): Reading<readonly Value[]> {
  const problems = readings.flatMap((reading, index) =>
    'problems' in reading
      ? reading.problems.map(({ message, at = '' }) => ({ message, at: `[${index}]${at}` }))
      : [],
  )
  if (problems.length > 0) return { problems }
  return reads(readings.flatMap((reading) => ('value' in reading ? [reading.value] : [])))
}
