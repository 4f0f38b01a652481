import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadSqlFormatterConfig } from './load-config.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'latchkey-sql-'))
  await mkdir(join(folder, 'a/b'), { recursive: true })
})
afterEach(() => rm(folder, { recursive: true }))

const write = async (path: string, text: string): Promise<string> => {
  const file = join(folder, path, '.sql-formatter.json')
  await writeFile(file, text)
  return file
}

describe('loadSqlFormatterConfig', () => {
  it('uses the nearest file upwards, and nothing of those above it', async () => {
    const top = await write('', '{"language":"mysql","tabWidth":4}')
    expect(await loadSqlFormatterConfig(join(folder, 'a/b'))).toEqual({
      path: top,
      config: { language: 'mysql', tabWidth: 4 },
    })

    const nearer = await write('a', '{"language":"sqlite"}')
    expect(await loadSqlFormatterConfig(join(folder, 'a/b'))).toEqual({
      path: nearer,
      config: { language: 'sqlite' },
    })
    expect(await loadSqlFormatterConfig(folder)).toMatchObject({ path: top })
  })

  it('begins at a folder that is relative or does not exist', async () => {
    const top = await write('', '{"language":"mysql"}')
    const begin = relative(process.cwd(), join(folder, 'a/b/not-there'))

    const found = await loadSqlFormatterConfig(begin)

    expect(found).toEqual({ path: relative(process.cwd(), top), config: { language: 'mysql' } })
  })

  it('returns null when there is none up to the root', async () => {
    expect(await loadSqlFormatterConfig(folder)).toBeNull()
    expect(await loadSqlFormatterConfig('/')).toBeNull()
  })

  it('reads a file with a byte-order mark', async () => {
    await write('', '\uFEFF{"language":"trino"}')

    expect(await loadSqlFormatterConfig(folder)).toMatchObject({ config: { language: 'trino' } })
  })

  it('rejects an invalid file, a line for each defect, with file and path', async () => {
    const file = await write('', '{"tabWidth":0,"paramTypes":{"custom":[{"regex":"x*"}]}}')

    await expect(loadSqlFormatterConfig(folder)).rejects.toMatchObject({
      name: 'SqlFormatterConfigError',
      message: [
        `${file}: language: is required`,
        `${file}: tabWidth: must be an integer greater than 0 (got 0)`,
        `${file}: paramTypes.custom[0].regex: can match an empty text, and would not end`,
      ].join('\n'),
    })
  })

  it.each([
    ['{\n  "language": "sql",\n}', 'is not valid JSON (line 3, column 1)'],
    ['{ // comment\n}', 'is not valid JSON (line 1, column 3)'],
    ['{"language": sql}', 'is not valid JSON (unexpected "s")'],
    ['', 'is not valid JSON'],
    ['[]', 'must be an object (got a list)'],
  ])('rejects %j, with its place where the parser reports one', async (text, message) => {
    const file = await write('a', text)

    await expect(loadSqlFormatterConfig(join(folder, 'a/b'))).rejects.toMatchObject({
      message: `${file}: ${message}`,
      problems: [{ path: '', kind: 'schema', message }],
    })
  })

  it('does not look further when the nearest file is unreadable', async () => {
    await write('', '{"language":"mysql"}')
    await mkdir(join(folder, 'a/.sql-formatter.json'))

    await expect(loadSqlFormatterConfig(join(folder, 'a'))).rejects.toMatchObject({
      message: expect.stringMatching(/a\/\.sql-formatter\.json: cannot be read: EISDIR$/),
    })
  })
})
