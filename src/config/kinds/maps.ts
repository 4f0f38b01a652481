import { isRecord } from '../../kit/is-record.ts'
import { fails, isFailure, type Kind, reads } from './kind.ts'
import { splitAt } from './lists.ts'

type Texts = Readonly<Record<string, string>>

/**
 * Texts by name, in the environment as pairs separated by commas.
 *
 * @param separator what stands between name and value there.
 */
export function map(separator: ':' | '='): Kind<Texts, Texts> {
  const mustBe = `must be pairs such as name${separator}value, separated by commas`
  return {
    name: 'map',
    emptyMeansAbsent: true,
    parse: (text) => {
      const pairs = splitAt(text, ',').map((pair) => takeApart(pair, separator))
      return pairs.every(isPair) ? reads(Object.fromEntries(pairs)) : fails(mustBe)
    },
    check: (given) => (isTexts(given) ? reads({ ...given }) : fails('must map names to texts')),
  }
}

/** The value may hold the separator again, as base64 does. */
function takeApart(pair: string, separator: string): [name: string, value: string] {
  const [name = '', ...value] = pair.split(separator)
  return [name.trim(), value.join(separator).trim()]
}

const isPair = ([name, value]: [string, string]) => name !== '' && value !== ''

const isTexts = (given: unknown): given is Texts =>
  isRecord(given) && Object.values(given).every((value) => typeof value === 'string')

/** Pairs as OpenTelemetry writes them, with percent-encoded values. @see W3C Baggage §3.2 */
export const encodedMap: Kind<Texts, Texts> = {
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
