import { describe, expect, it } from 'vitest'
import { csvRecords } from './csv-records.ts'
import { maxLineBytes, readLines } from './read-lines.ts'

/** Reads the records: for each line its cells, or its problem. */
async function recordsOf(text: string) {
  const chunks = async function* () {
    yield Buffer.from(text)
  }
  const records: unknown[][] = []
  for await (const record of csvRecords(readLines(chunks()))) {
    const read = 'cells' in record ? Object.fromEntries(record.cells) : record.problem
    records.push([record.line, read])
  }
  return records
}

describe('CSV', () => {
  it.each([',', ';', '\t'])('is read with cells between %j', async (delimiter) => {
    const text = ['Email , role', 'ada@x.test,staff', '"bea@x.test",""'].join('\n')

    expect(await recordsOf(text.replaceAll(',', delimiter))).toEqual([
      [2, { email: 'ada@x.test', role: 'staff' }],
      [3, { email: 'bea@x.test', role: '' }],
    ])
  })

  it('may have line breaks, separators and quotes in quotes', async () => {
    const text = 'email,name\r\na@x,"A ""the"" B,\r\nC"\r\n\r\nb@x,D\r\n'

    expect(await recordsOf(text)).toEqual([
      [2, { email: 'a@x', name: 'A "the" B,\nC' }],
      [5, { email: 'b@x', name: 'D' }],
    ])
  })

  it.each([
    ['too few cells', 'a@x', 'has 1 cell, and the first line names 2'],
    ['too many cells', 'a@x,b,c', 'has 3 cells, and the first line names 2'],
    ['text behind a quoted cell', '"a@x"b,c', 'has quotes in the wrong places'],
    ['quotes within a cell', 'a"@"x,c', 'has quotes in the wrong places'],
  ])('rejects one record for %s', async (_case, line, problem) => {
    expect(await recordsOf(`email,name\n${line}\nb@x,B\n`)).toEqual([
      [2, problem],
      [3, { email: 'b@x', name: 'B' }],
    ])
  })

  it('rejects one record for a quote that is not closed', async () => {
    const problem = 'has a quote that is not closed'

    expect(await recordsOf('email,name\na@x,"A\nb@x,B\nc@x,C\n')).toEqual([
      [2, problem],
      [3, { email: 'b@x', name: 'B' }],
      [4, { email: 'c@x', name: 'C' }],
    ])
    const far = `${`b@x,${'x'.repeat(1000)}\n`.repeat(maxLineBytes / 1000)}`
    const records = await recordsOf(`email,name\na@x,"A\n${far}c@x,"C"\n`)
    expect(records[0]).toEqual([2, problem])
    expect(records).toHaveLength(1 + Math.floor(maxLineBytes / 1000) + 1)
  })

  it.each([
    ['short', 'b\n', 300_000],
    ['blank', '\n', 0],
  ])('rejects one record for it, whatever number of %s follows', async (_kind, line, read) => {
    const records = await recordsOf(`email\n"a\n${line.repeat(300_000)}`)

    expect(records[0]).toEqual([2, 'has a quote that is not closed'])
    expect(records).toHaveLength(1 + read)
    expect(records[1]).toEqual(read > 0 ? [3, { email: 'b' }] : undefined)
  })

  it('treats blank lines as a part of a cell up to the maximum length of a line', async () => {
    const blank = '\n'.repeat(maxLineBytes + 1)

    expect(await recordsOf(`email\n"a\n${blank}b"\n`)).toEqual([
      [2, 'has a quote that is not closed'],
      [maxLineBytes + 4, 'has a quote that is not closed'],
    ])
  })

  it.each([
    ['nothing', 'email\n'],
    ['not even columns', ''],
  ])('may contain %s', async (_case, text) => {
    expect(await recordsOf(text)).toEqual([])
  })

  it.each([
    ['names a column twice', 'email,Email\n'],
    ['cannot be read', 'email,"name\n'],
  ])('is rejected if its first line %s', async (_case, text) => {
    await expect(recordsOf(text)).rejects.toMatchObject({ name: 'UsageError' })
  })
})
