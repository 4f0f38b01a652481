import { isUtf8 } from 'node:buffer'

/** One line of a file, counted from 1, or why it cannot be read. */
export type Line = { number: number } & ({ text: string } | { problem: string })

/** The maximum length of a line, which must fit into memory. A longer one is a mistake. */
export const maxLineBytes = 1_048_576

const newline = 0x0a
const byteOrderMark = '\ufeff'

/** Splits bytes into lines, which end in a newline with or without a carriage return before it. */
export async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  let number = 1
  let parts: Buffer[] = []
  let bytes = 0
  const keep = (part: Buffer) => {
    bytes += part.length
    if (bytes <= maxLineBytes) parts.push(part)
    else parts = []
  }
  const take = (): Line => {
    const line = { number, ...textOf(parts, bytes, number === 1) }
    number += 1
    parts = []
    bytes = 0
    return line
  }
  for await (const chunk of chunks) {
    const buffer = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    let start = 0
    for (let end = buffer.indexOf(newline); end >= 0; end = buffer.indexOf(newline, start)) {
      keep(buffer.subarray(start, end))
      yield take()
      start = end + 1
    }
    keep(buffer.subarray(start))
  }
  if (bytes > 0) yield take()
}

function textOf(parts: Buffer[], bytes: number, isFirst: boolean) {
  if (bytes > maxLineBytes) return { problem: `is longer than ${maxLineBytes} bytes` }
  const line = parts.length === 1 ? (parts[0] ?? Buffer.alloc(0)) : Buffer.concat(parts)
  if (!isUtf8(line)) return { problem: 'is not UTF-8' }
  const text = line.toString().replace(/\r$/, '')
  return { text: isFirst && text.startsWith(byteOrderMark) ? text.slice(1) : text }
}
