import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { hash as bcryptHash } from '@node-rs/bcrypt'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask } from './support/ask.ts'
import { type CliOptions, runCli, spawnCli } from './support/cli-process.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'
import { environmentFor, startServer } from './support/server-process.ts'
import { runSql } from './support/sql.ts'
import { hasTerminal, onTerminal } from './support/terminal.ts'

let database: TestDatabase
let folder: string

beforeAll(async () => {
  database = await createTestDatabase()
  folder = mkdtempSync(join(tmpdir(), 'latchkey-import-'))
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await database.drop()
})

let files = 0

/** Writes a file and returns its path. */
function fileOf(extension: string, content: string | Buffer): string {
  const path = join(folder, `users${++files}.${extension}`)
  writeFileSync(path, content)
  return path
}

const jsonLines = (...records: object[]) =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('')

const importFile = (args: string[], options: Pick<CliOptions, 'wrap' | 'input'> = {}) =>
  runCli(['import', 'users', ...args], { ...environmentFor(database.url), ...options })

async function importJson(...args: string[]) {
  const { code, output } = await importFile([...args, '--json'])
  // The output for readers precedes the output for programs.
  return { code, report: JSON.parse(output.slice(output.indexOf('{\n'))) }
}

const findUser = async (email: string) => {
  const text = 'select to_jsonb(u) as user from auth.users u where email = $1'
  const [row] = await runSql(database.url, { text, values: [email] })
  // biome-ignore lint/suspicious/noExplicitAny: a test states the expected members of a row
  return row?.['user'] as any
}

describe('latchkey import users', () => {
  it('stores users of JSON lines, whose previous passwords are valid', async () => {
    const password = 'correct horse'
    const [email, password_hash] = ['ada@lines.test', await bcryptHash(password, 4)]
    const record = {
      email,
      password_hash,
      email_confirm: true,
      role: 'staff',
      created_at: '2020-01-01T00:00:00Z',
      user_metadata: { full_name: 'Ada' },
      identities: [
        { provider: 'github', id: '583231' },
        { provider: 'email', id: 'x' },
      ],
    }
    const file = fileOf(
      'jsonl',
      `\ufeff${jsonLines(record)}\r\n${jsonLines({ phone: '+49 1551' })}`,
    )

    const { code, output } = await importFile([file])

    expect([code, output]).toEqual([
      0,
      'imported\t2\nalready there\t0\nrejected\t0\nsign-ups replaced\t0\n',
    ])
    const server = await startServer(database.url)
    const signedIn = await ask(server.url, 'POST', '/token?grant_type=password', {
      body: { email, password },
    })
    await server.stop()
    expect(signedIn.body.user).toMatchObject({
      email,
      role: 'staff',
      created_at: '2020-01-01T00:00:00.000Z',
      app_metadata: { provider: 'github', providers: ['github', 'email'] },
    })
  })

  it('stores users of CSV by the names of the columns', async () => {
    const file = fileOf(
      'csv',
      [
        'email;Email_Confirm;banned_until;user_metadata;identities;shoe_size',
        'bea@cells.test;t;2999-01-01 00:00:00+00;"{""full_name"": ""Bea; ""}";;38',
        'cleo@cells.test;FALSE;;;"[{""provider"": ""github"", ""id"": ""7""}]";',
      ].join('\r\n'),
    )

    const { code, report } = await importJson(file)

    expect([code, report]).toEqual([
      0,
      {
        dryRun: false,
        imported: 2,
        alreadyThere: 0,
        refused: 0,
        signUpsReplaced: 0,
        refusals: [],
        ignored: ['shoe_size'],
      },
    ])
    expect(await findUser('bea@cells.test')).toMatchObject({
      email_confirmed_at: expect.any(String),
      banned_until: '2999-01-01T00:00:00+00:00',
      user_metadata: { full_name: 'Bea; ' },
    })
    expect(await findUser('cleo@cells.test')).toMatchObject({
      email_confirmed_at: null,
      app_metadata: { provider: 'github' },
    })
  })

  it('S107: prints no control characters of the names of fields in the file', async () => {
    const file = fileOf(
      'jsonl',
      jsonLines({ email: 'eve@json.test', '\u001b]0;owned\u0007\u009b2J': 1 }),
    )

    const { output } = await importFile([file, '--dry-run'])

    expect(output).toContain('Not imported:')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are expected
    expect(output).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/)
  })

  it('rejects invalid lines by their number, and stores the others', async () => {
    const bytes = Buffer.concat([
      Buffer.from(jsonLines({ email: 'ok1@bad.test' })),
      Buffer.from('{"email":"broken@bad.test"\n'),
      Buffer.from('{"email":"gr\xfcn@bad.test"}\n', 'latin1'),
      Buffer.from(jsonLines({ email: `long@bad.test`, user_metadata: { a: 'x'.repeat(2 ** 20) } })),
      Buffer.from(
        `[]\nnull\n5\n\n${jsonLines({ email: 5 }, { email: 'a@b@c', password_hash: 'secret' })}`,
      ),
      Buffer.from(
        jsonLines({ email: 'ok2@bad.test' }, { email: 'ok2@bad.test', id: crypto.randomUUID() }),
      ),
    ])
    const report = join(folder, 'refused.jsonl')

    const { code, output } = await importFile([fileOf('ndjson', bytes), '--report', report])

    const refused = readFileSync(report, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(code).toBe(1)
    expect(output).toBe(
      `imported\t2\nalready there\t0\nrejected\t9\nsign-ups replaced\t0\nRejected lines: ${report}\n`,
    )
    expect(refused.map(({ line, code, field }) => [line, code, field])).toEqual([
      [2, 'bad_json', null],
      [3, 'validation_failed', null],
      [4, 'validation_failed', null],
      ...[5, 6, 7].map((line) => [line, 'bad_json', null]),
      [9, 'bad_json', 'email'],
      [10, 'validation_failed', 'email'],
      [12, 'email_exists', 'email'],
    ])
    expect(readFileSync(report, 'utf8')).not.toMatch(/broken@|a@b|secret/)
    expect(refused[0]).toEqual({ line: 2, code: 'bad_json', field: null, message: 'is not JSON' })
  })

  it('rejects a line with a misspelled field, which would be stored without its password', async () => {
    const file = fileOf(
      'jsonl',
      jsonLines({ email: 'eve@misspelled.test', pasword_hash: await bcryptHash('x', 4) }),
    )

    const { code, output } = await importFile([file])

    expect(code).toBe(1)
    expect(output).toContain(
      'line 1: pasword_hash: is not a field; did you mean password_hash? (validation_failed)\n',
    )
    expect(await findUser('eve@misspelled.test')).toBeUndefined()
  })

  it('S107: prints no control characters of a misspelled field', async () => {
    const file = fileOf('jsonl', jsonLines({ email: 'eve@json.test', 'password_hash\u009b': 1 }))

    const { code, output } = await importFile([file, '--dry-run'])

    expect([code, output]).toEqual([1, expect.stringContaining('did you mean password_hash?')])
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are expected
    expect(output).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/)
  })

  it('prints the rejected lines of a table', async () => {
    const file = fileOf(
      'csv',
      'email,email_confirm,user_metadata\nx,maybe,\n"a\nb",,\nd@rows.test,1,{}\ne@rows.test,,{"a"\n"f,,\n',
    )

    const { code, output } = await importFile([file])

    expect(code).toBe(1)
    expect(output.trim().split('\n')).toEqual([
      'line 2: email_confirm: must be true or false (bad_json)',
      'line 3: email: Unable to validate email address: invalid format (validation_failed)',
      'line 6: has quotes in the wrong places (validation_failed)',
      'line 7: has a quote that is not closed (validation_failed)',
      'imported\t1',
      'already there\t0',
      'rejected\t4',
      'sign-ups replaced\t0',
    ])
  })

  it.each([[['--dry-run']], [[]]])(
    'rejects a record with the address of an earlier one, and names its line: %j',
    async (args) => {
      const file = fileOf('csv', 'email,role\na@twice.test,\nb@twice.test,\nA@twice.test,staff\n')

      const { code, output } = await importFile([file, ...args])

      expect(code).toBe(1)
      expect(output).toContain(
        'line 4: email: the record in line 2 has the same address (email_exists)\n',
      )
      expect(output).toContain('already there\t0\n')
    },
  )

  it('stores nothing in a dry run', async () => {
    const file = fileOf('jsonl', jsonLines({ email: 'dry@run.test' }, { email: 'x' }))

    const { code, report } = await importJson(file, '--dry-run')

    expect(code).toBe(1)
    expect(report).toMatchObject({ dryRun: true, imported: 1, refused: 1 })
    const { message, ...rejection } = report.refusals[0]
    expect(rejection).toEqual({ line: 2, code: 'validation_failed', field: 'email' })
    expect(message).toContain('invalid format')
    expect(await findUser('dry@run.test')).toBeUndefined()
  })

  it('reads standard input', async () => {
    const input = 'email\nstdin@x.test\n'

    const { code, output } = await importFile(['-', '--format', 'csv'], { input })

    expect([code, output]).toEqual([
      0,
      'imported\t1\nalready there\t0\nrejected\t0\nsign-ups replaced\t0\n',
    ])
  })

  it('continues where a killed run ended', async () => {
    const count = 20_000
    const records = Array.from({ length: count }, (_, n) => ({ email: `killed${n}@again.test` }))
    const file = fileOf('jsonl', jsonLines(...records))
    const countStored = async () => {
      const text = `select count(*)::int as count from auth.users where email like '%@again.test'`
      return Number((await runSql(database.url, text))[0]?.['count'])
    }

    const killed = spawnCli(['import', 'users', file], environmentFor(database.url))
    while ((await countStored()) === 0) await sleep(5)
    killed.signal('SIGKILL')
    await killed.ended
    // Statements that were sent are still executed.
    await sleep(500)
    const before = await countStored()
    const { code, report } = await importJson(file)

    expect(before).toBeGreaterThan(0)
    expect(before).toBeLessThan(count)
    expect(code).toBe(0)
    expect(report).toMatchObject({ imported: count - before, alreadyThere: before, refused: 0 })
    expect(await countStored()).toBe(count)
    const [entries] = await runSql(
      database.url,
      `select count(*)::int as count from auth.audit_entries a join auth.users u on u.id = a.user_id
        where u.email like '%@again.test'`,
    )
    expect(entries).toEqual({ count })
  }, 60_000)

  it.each([
    ['no file', [], 'expects one file'],
    ['two files', ['a.csv', 'b.csv'], 'expects one file'],
    [
      'a file that is not there',
      ['nowhere.csv'],
      'nowhere.csv cannot be read: the file does not exist',
    ],
    ['a folder', ['.', '--format', 'csv'], 'EISDIR'],
    [
      'a report over the file',
      [import.meta.filename, '--format', 'csv', '--report', import.meta.filename],
      'exists already',
    ],
    [
      'a report nobody can write',
      [import.meta.filename, '--format', 'csv', '--report', '/nowhere/x'],
      '/nowhere/x cannot be created',
    ],
    ['an unknown format', ['users.xml'], 'add --format jsonl or --format csv'],
    ['standard input of an unknown format', ['-'], 'add --format jsonl or --format csv'],
    ['an unknown flag', ['users.csv', '--all'], 'unknown option --all'],
  ])('rejects %s, with 2', async (_case, args, expected) => {
    const { code, output } = await importFile(args)

    expect(code).toBe(2)
    expect(output).toContain(expected)
  })

  it.each([
    ['a list of users in one document', 'json', '[\n{"email":"x@y.test"}\n]', 'one JSON document'],
    ['a document over several lines', 'json', '{\n"users": []\n}', 'one JSON document'],
    [
      'a table without a column that it knows',
      'csv',
      'Mail,Name\nx@y.test,X\n',
      'contains no column',
    ],
    [
      'a table with a misspelled column',
      'csv',
      'email,pasword_hash\nx@y.test,X\n',
      'the column pasword_hash: is not a field; did you mean password_hash?',
    ],
    [
      'a table whose columns nobody can read',
      'csv',
      Buffer.from([0xff, 0xfe, 0x65, 0]),
      'in UTF-8',
    ],
  ])('rejects %s, with 2', async (_case, extension, content, expected) => {
    const { code, output } = await importFile([fileOf(extension, content)])

    expect(code).toBe(2)
    expect(output).toContain(expected)
  })
})

describe('latchkey import', () => {
  it.each([
    ['nothing', [], 'import what?'],
    ['what it does not know', ['toString'], 'import what?'],
    ['a URL without a word', ['postgres://root:hunter2@host/db'], 'Expects `users` or `gotrue`'],
  ])('rejects %s, with 2', async (_case, args, expected) => {
    const { code, output } = await runCli(['import', ...args], environmentFor(database.url))

    expect([code, output]).toEqual([2, expect.stringContaining(expected)])
    expect(output).not.toContain('hunter2')
  })
})

describe.skipIf(!hasTerminal())('latchkey import users on a terminal', () => {
  it('shows its progress, and a table at the end', async () => {
    const records = Array.from({ length: 2500 }, (_, n) => ({ email: `bar${n}@terminal.test` }))
    const file = fileOf('jsonl', jsonLines(...records, { email: 'x' }))

    const { output, code } = await importFile([file], { wrap: onTerminal })

    expect(code).toBe(1)
    expect(output).toMatch(/\[#+-*\] +\d+ % {2}1,000 stored, 0 already exist, 0 rejected/)
    expect(output).toMatch(
      /what +how many\r\nimported +2500\r\nalready there +0\r\nrejected +1\r\nsign-ups replaced +0\r\n$/,
    )
  })
})
