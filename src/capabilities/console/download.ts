import { ReadableStream } from 'node:stream/web'
import { Answer } from '../../platform/http/answer.ts'
import { privateHeaders } from '../../service/pages/page-answer.ts'

/** Returns a file to save, in parts: its size costs no memory. A browser never displays it. */
export function download(
  type: 'application/json' | 'text/csv',
  name: string,
  parts: AsyncIterable<string>,
): Answer {
  const headers = {
    ...privateHeaders,
    'content-type': `${type}; charset=utf-8`,
    'content-disposition': `attachment; filename="${name}"`,
    'content-security-policy': "default-src 'none'; sandbox",
  }
  return new Answer(200, headers, ReadableStream.from(encoded(parts)))
}

async function* encoded(parts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const part of parts) yield Buffer.from(part)
}

/**
 * Returns a line of a CSV file. Text that a spreadsheet would execute as a formula is prefixed with
 * an apostrophe: users write some of it. @see RFC 4180
 */
export const csvLine = (cells: readonly (string | null)[]): string =>
  `${cells.map((cell) => (cell === null ? '' : quoted(cell))).join(',')}\r\n`

/**
 * The place before the first character of a formula. A spreadsheet whose language separates cells
 * by semicolons, or that a user sets to tabs, also divides quoted cells, and removes quotation
 * marks at the start of a part.
 */
const formulaStart = /(?:^|[;,|\t\r\n])(?:"|[^\S\t\r\n])*(?=[=+@\uff1d\uff0b\uff0d\uff20-])/gu

function quoted(cell: string): string {
  const numbers = negativeNumbersIn(cell)
  const safe = cell.replace(formulaStart, (found, index: number) =>
    numbers.has(index + found.length) ? found : `${found}'`,
  )
  return /[",\r\n']/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

const stringOrNegativeNumber = /"(?:[^"\\]|\\.)*"|-\d/g

/**
 * Returns the places of the negative numbers in JSON, which a number alone is as well. They are no
 * formulas, so that JSON stays valid. In any other text, a formula may begin with a number.
 */
function negativeNumbersIn(cell: string): ReadonlySet<number> {
  if (!cell.includes('-') || !isJson(cell)) return new Set()
  const tokens = [...cell.matchAll(stringOrNegativeNumber)]
  return new Set(tokens.filter(([token]) => token.startsWith('-')).map(({ index }) => index))
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
