import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Ajv } from 'ajv'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import manifest from '../package.json' with { type: 'json' }
import { configSchema } from '../src/capabilities/formatter-config/config-schema.ts'
import { type CliOptions, runCli } from './support/cli-process.ts'
import { withoutPackage } from './support/without-package.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'latchkey-sql-'))
  await mkdir(join(folder, 'sub'))
})
afterEach(() => rm(folder, { recursive: true }))

const sql = (args: string[], options: CliOptions = {}) =>
  runCli(['sql', ...args], { cwd: folder, ...options })

const write = (name: string, text: string | Uint8Array) => writeFile(join(folder, name), text)
const read = (name: string) => readFile(join(folder, name), 'utf8')
const configure = (config: object) => write('.sql-formatter.json', JSON.stringify(config))

const untidy = 'SELECT a from t'
const tidy = 'SELECT\n  a\nfrom\n  t\n'

// Several processes in sequence are slow on a busy machine.
describe('latchkey sql format', { timeout: 180_000 }, () => {
  it('formats standard input, as PostgreSQL by the defaults without a configuration', async () => {
    expect(await sql(['format'], { input: `${untidy} where b = $1` })).toMatchObject({
      code: 0,
      output: 'SELECT\n  a\nfrom\n  t\nwhere\n  b = $1\n',
    })
  })

  it('formats files with the nearest configuration of the working folder', async () => {
    await configure({ language: 'mysql', keywordCase: 'upper', tabWidth: 4 })
    await write('one.sql', 'select `a` from t')
    await write('sub/two.sql', 'select 2')

    const { code, output } = await sql(['format', '../one.sql', 'two.sql'], {
      cwd: join(folder, 'sub'),
    })

    expect([code, output]).toEqual([0, 'SELECT\n    `a`\nFROM\n    t\nSELECT\n    2\n'])
    expect(await read('one.sql')).toBe('select `a` from t')
  })

  it('accepts another configuration by --config, a file or JSON', async () => {
    await configure({ language: 'oracle' })
    await write('other.json', '{"language":"sqlite","keywordCase":"upper"}')
    const input = 'select [a] from t'

    const byFile = await sql(['format', '--config', 'other.json'], { input })
    const byText = await sql(['format', '--config={"language":"sqlite"}'], { input })

    expect(byFile).toMatchObject({ code: 0, output: 'SELECT\n  [a]\nFROM\n  t\n' })
    expect(byText).toMatchObject({ code: 0, output: 'select\n  [a]\nfrom\n  t\n' })
  })

  it('lists with --check the files that would change, and changes none', async () => {
    await write('untidy.sql', untidy)
    await write('tidy.sql', tidy)

    expect(await sql(['format', '--check', 'tidy.sql'])).toMatchObject({ code: 0, output: '' })
    expect(await sql(['format', '--check', 'tidy.sql', 'untidy.sql'])).toMatchObject({
      code: 1,
      output: 'untidy.sql\n',
    })
    expect(await sql(['format', '--check'], { input: untidy })).toMatchObject({
      code: 1,
      output: '<standard input>\n',
    })
    expect(await read('untidy.sql')).toBe(untidy)
  })

  it('writes with --write the files that change, and lists them', async () => {
    await write('untidy.sql', `\uFEFF${untidy}\r\n`)
    await write('tidy.sql', tidy)

    expect(await sql(['format', '--write', 'tidy.sql', 'untidy.sql'])).toMatchObject({
      code: 0,
      output: 'untidy.sql\n',
    })
    expect(await read('untidy.sql')).toBe(tidy)
    expect(await sql(['format', '--write', 'untidy.sql'])).toMatchObject({ code: 0, output: '' })
  })

  it('warns before it writes with operators that may join', async () => {
    await configure({ language: 'postgresql', denseOperators: true })
    await write('a.sql', 'select 1')

    expect((await sql(['format', '--write', 'a.sql'])).output).toMatch(
      /^warning: denseOperators can change what SQL means.*\na\.sql\n$/,
    )
    expect((await sql(['format', 'a.sql'])).output).not.toContain('warning')
  })

  it('continues after a file that cannot be formatted, keeps it unchanged, and exits with 1', async () => {
    const latin1 = Buffer.from("select 'caf\xe9'", 'latin1')
    await write('broken.sql', 'select (1')
    await write('latin1.sql', latin1)
    await write('fine.sql', untidy)

    const { code, output } = await sql([
      ...['format', '--write', 'absent.sql', 'broken.sql', 'latin1.sql', 'sub', 'fine.sql'],
    ])

    expect(code).toBe(1)
    const lines = output.split('\n')
    expect(lines).toEqual(
      expect.arrayContaining([
        'absent.sql: the file does not exist',
        expect.stringMatching(/^broken\.sql: Parse error at token: .* line 1 column 10$/),
        'latin1.sql: is not UTF-8',
        'sub: is a folder; only files are formatted',
        'fine.sql',
      ]),
    )
    expect(lines).toHaveLength(6)
    expect(await readFile(join(folder, 'latin1.sql'))).toEqual(latin1)
    expect(await read('fine.sql')).toBe(tidy)
  })

  it('formats nothing with an invalid configuration, and reports all its defects', async () => {
    await configure({ tabWidth: 0, paramTypes: { named: [':', '?'] } })
    await write('a.sql', untidy)

    expect(await sql(['format', '--write', 'a.sql'])).toMatchObject({
      code: 1,
      output: [
        '.sql-formatter.json: language: is required',
        '.sql-formatter.json: tabWidth: must be an integer greater than 0 (got 0)',
        '.sql-formatter.json: paramTypes.named[1]: must be one of ":", "@", "$" (got "?")',
        '',
      ].join('\n'),
    })
    expect(await read('a.sql')).toBe(untidy)
  })

  it.each([
    [['--check', '--write', 'a.sql'], 'sql format: --check and --write exclude each other'],
    [['--write'], 'sql format: --write requires files'],
    [['--write', '-'], 'sql format: --write requires files'],
    [['--fix', 'a.sql'], 'sql format: unknown option --fix'],
  ])('rejects %j with its usage', async (args, expected) => {
    const { code, output } = await sql(['format', ...args], { input: untidy })

    expect(code).toBe(2)
    expect(output).toContain(expected)
    expect(output).toContain('latchkey sql format [FILE…] [--check | --write]')
  })

  it('prints how to install the formatter where it is missing', async () => {
    const env = await withoutPackage('sql-formatter', folder)

    const { code, output } = await sql(['format'], { input: untidy, env })

    expect(code).toBe(1)
    expect(output).toMatch(/npm install --save-dev sql-formatter@15$/m)
    expect(output).not.toMatch(/^\s+at /m)
  })

  // The process ends by itself: nothing keeps running.
  it.each([
    ['x*', 'can match an empty text'],
    ['(?=,)', 'can match an empty text'],
    ['(a+)+$', 'takes longer than a second'],
  ])('built, ends with a message where a pattern would not end: %s', async (regex, message) => {
    const config = JSON.stringify({ language: 'sql', paramTypes: { custom: [{ regex }] } })
    const startedAt = performance.now()

    const { code, output } = await sql(['format', '--config', config], {
      input: `select ${'a'.repeat(50)}, b from t`,
    })

    expect(code).toBe(1)
    expect(output).toMatch(/^--config: paramTypes\.custom\[0\]\.regex: /)
    expect(output).toContain(message)
    // The process takes seconds to start on a busy machine; such a pattern would take years.
    expect(performance.now() - startedAt).toBeLessThan(30_000)
  })

  it('built, tests patterns on the text as well', async () => {
    const config = '{"language":"sql","paramTypes":{"custom":[{"regex":"(?:ab|abab)+#"}]}}'
    await write('slow.sql', `select ${'ab'.repeat(60)}`)
    await write('fine.sql', 'select ab#')

    const { code, output } = await sql(['format', '--config', config, 'slow.sql', 'fine.sql'])

    expect(code).toBe(1)
    expect(output.split('\n').toSorted()).toEqual(
      [
        'slow.sql: paramTypes.custom[0].regex: takes longer than a second, alone or with those before it',
        ...['select', '  ab#', ''],
      ].toSorted(),
    )
  })
})

describe('latchkey sql config', () => {
  it('prints the effective configuration', async () => {
    await configure({ $schema: './x.json', language: 'trino', keywordCase: 'upper' })

    const { code, output } = await sql(['config'], { cwd: join(folder, 'sub') })

    expect(code).toBe(0)
    expect(output).toContain('../.sql-formatter.json\n')
    expect(JSON.parse(output.replace('../.sql-formatter.json\n', ''))).toMatchObject({
      language: 'trino',
      keywordCase: 'upper',
      functionCase: 'preserve',
      tabWidth: 2,
    })
  })

  it('shows the defaults where there is none', async () => {
    const { code, output } = await sql(['config'])

    expect(code).toBe(0)
    expect(output).toContain('There is no .sql-formatter.json: these are the defaults.\n')
    expect(output).toContain('"language": "postgresql"')
  })

  it.each([
    ['{"language":"sql","indentStyle":"standard"}', 'x.json: indentStyle: unknown property\n'],
    ['{"language":"sql",}', 'x.json: is not valid JSON (line 1, column 19)\n'],
    ['null', 'x.json: must be an object (got null)\n'],
  ])('reports the defects of a given file: %s', async (text, expected) => {
    await write('x.json', text)

    expect(await sql(['config', 'x.json'])).toMatchObject({ code: 1, output: expected })
  })

  it('reports that a given file is missing', async () => {
    expect(await sql(['config', 'y.json'])).toMatchObject({
      code: 1,
      output: 'y.json: the file does not exist\n',
    })
  })
})

it('the package contains the schema as a file, under a path that a configuration can refer to', async () => {
  const path = manifest.exports['./sql-formatter.schema.json']
  const file = new URL(`../${path}`, import.meta.url)
  const schema = JSON.parse(await readFile(file, 'utf8'))
  const satisfies = new Ajv().compile(schema)

  expect(schema).toEqual(configSchema)
  expect(satisfies({ $schema: pathToFileURL(path).href, language: 'sql' })).toBe(true)
  expect(satisfies({ language: 'sql', indentStyle: 'standard' })).toBe(false)
})
