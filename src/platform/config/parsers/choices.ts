import { fails, isFailure, type Parser, reads, show } from './parser.ts'

const trueTexts = ['1', 't', 'T', 'TRUE', 'true', 'True']
const falseTexts = ['0', 'f', 'F', 'FALSE', 'false', 'False']

/** True or false. The environment may also contain `1`, `t`, `0` or `f`. */
export const boolean: Parser<boolean, boolean> = {
  name: 'boolean',
  emptyMeansAbsent: false,
  parse: (text) => {
    if (trueTexts.includes(text)) return reads(true)
    if (falseTexts.includes(text)) return reads(false)
    return fails('must be true or false')
  },
  check: (given) => (typeof given === 'boolean' ? reads(given) : fails('must be true or false')),
}

/**
 * One of several words, in any letter case.
 *
 * @param aliases further words, with the word that each stands for.
 */
export function oneOf<const Word extends string, const Alias extends string = never>(
  words: readonly Word[],
  aliases: Partial<Record<Alias, Word>> = {},
): Parser<Word, Word | Alias> {
  const byName = new Map<string, Word>([
    ...words.map((word) => [word.toLowerCase(), word] as const),
    ...(Object.entries(aliases) as [string, Word][]),
  ])
  const find = (given: unknown) =>
    typeof given === 'string' ? byName.get(given.trim().toLowerCase()) : undefined
  const read = (given: unknown) => {
    const word = find(given)
    return word === undefined ? fails(`must be ${listed(words)}`) : reads(word)
  }
  return {
    name: words.map((word) => `\`${word}\``).join(', '),
    emptyMeansAbsent: true,
    parse: read,
    check: read,
  }
}

/**
 * Returns a kind that uses a default, with a warning, if the text of the environment is invalid.
 * The variable may be intended for other programs.
 */
export const orElse = <Value, Given>(
  parser: Parser<Value, Given>,
  fallback: Given,
): Parser<Value, Given> => ({
  ...parser,
  emptyMeansAbsent: true,
  parse: (text) => {
    const given = parser.parse(text)
    const reading = isFailure(given) ? given : parser.check(given.value)
    if (!isFailure(reading)) return given
    const problem = reading.problems.map(({ message }) => message).join('; ')
    return { value: fallback, warning: `${problem}: ${fallback} is used instead of ${show(text)}` }
  },
})

function listed(words: readonly string[]): string {
  if (words.length === 1) return show(words[0])
  return `one of ${words.join(', ')}`
}
