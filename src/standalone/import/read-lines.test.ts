import { expect, it } from 'vitest'
import { type Line, maxLineBytes, readLines } from './read-lines.ts'

/** Reads the lines of bytes that are received a few at a time. */
async function linesOf(bytes: Uint8Array | string, chunkBytes = 7): Promise<Line[]> {
  const buffer = Buffer.from(bytes)
  const chunks = async function* () {
    for (let at = 0; at < buffer.length; at += chunkBytes) {
      yield buffer.subarray(at, at + chunkBytes)
    }
  }
  const lines: Line[] = []
  for await (const line of readLines(chunks())) lines.push(line)
  return lines
}

const textsOf = (lines: Line[]) =>
  lines.map((line) => ('text' in line ? line.text : `! ${line.problem}`))

it.each([1, 2, 3, 7, 1000])('splits at newlines, with chunks of %i bytes', async (size) => {
  const lines = await linesOf('grüße\r\n\nzwei🐎\nende', size)

  expect(textsOf(lines)).toEqual(['grüße', '', 'zwei🐎', 'ende'])
  expect(lines.map(({ number }) => number)).toEqual([1, 2, 3, 4])
})

it.each([
  ['', []],
  ['\n', ['']],
  ['a\n', ['a']],
  ['a\r\nb', ['a', 'b']],
  ['a\rb\n', ['a\rb']],
])('reads %j', async (text, expected) => {
  expect(textsOf(await linesOf(text))).toEqual(expected)
})

it('drops a byte order mark at the beginning only', async () => {
  expect(textsOf(await linesOf('\ufeffa\n\ufeffb'))).toEqual(['a', '\ufeffb'])
})

it('reports a line that is not UTF-8, and reads the next', async () => {
  const latin1 = Buffer.concat([Buffer.from('a\ngr'), Buffer.from([0xfc]), Buffer.from('n\nb\n')])

  expect(textsOf(await linesOf(latin1))).toEqual(['a', '! is not UTF-8', 'b'])
})

it('discards a line that is too long, and reads the next', async () => {
  const long = 'x'.repeat(maxLineBytes)

  const lines = await linesOf(`${long}\n${long}x\nb`, 65_536)

  expect(textsOf(lines)).toEqual([long, `! is longer than ${maxLineBytes} bytes`, 'b'])
})
