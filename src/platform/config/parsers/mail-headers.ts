import { isRecord } from '../../kit/is-record.ts'
import { fails, type Parser, reads } from './parser.ts'

type Headers = Readonly<Record<string, readonly string[]>>

const mustBe = 'must map names of headers to lists of strings, as in {"X-Team": ["auth"]}'

/** Extra headers of mails: a JSON object in the environment. */
export const mailHeaders: Parser<Headers, Headers> = {
  name: 'JSON',
  emptyMeansAbsent: true,
  parse: (text) => {
    try {
      return reads(JSON.parse(text) as Headers)
    } catch {
      // The parser's message is dropped, since it quotes the text.
      return fails('must be JSON')
    }
  },
  check: (given) => {
    if (!isRecord(given) || !Object.entries(given).every(isHeader)) return fails(mustBe)
    return reads(
      Object.fromEntries(
        Object.entries(given as Headers).map(([name, values]) => [name, [...values]]),
      ),
    )
  },
}

/** Rejects line breaks in names and values, which would add headers. */
function isHeader([name, values]: [string, unknown]): boolean {
  return /^[!-9;-~]+$/.test(name) && Array.isArray(values) && values.every(isOneLine)
}

const isOneLine = (value: unknown) => typeof value === 'string' && /^[^\r\n\0]*$/.test(value)
