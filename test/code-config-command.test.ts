import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCli } from './support/cli-process.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'
import { testSecret } from './support/test-auth.ts'

// Commands with settings in code.

const builtFile = (file: string) => pathToFileURL(join(import.meta.dirname, '../dist', file)).href
const built = builtFile('index.js')
const shared = builtFile('hosts/shared/create-shared-auth.js')

let database: TestDatabase
let root: string

beforeAll(async () => {
  database = await createTestDatabase()
  root = mkdtempSync(join(tmpdir(), 'latchkey-code-'))
})
afterAll(async () => {
  await database?.drop()
  rmSync(root, { recursive: true, force: true })
})

/** Creates the folder of an application with one file. */
function application(file: string, text: string): string {
  const folder = mkdtempSync(join(root, 'app-'))
  mkdirSync(dirname(join(folder, file)), { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  writeFileSync(join(folder, file), text)
  return folder
}
const run = (cwd: string, command: string, env: Record<string, string> = {}) =>
  runCli(command.split(' '), { cwd, env: { DATABASE_URL: database.url, ...env } })

const settings = `{
  siteUrl: 'https://app.example.test',
  database: process.env.DATABASE_URL,
  jwt: { secret: '${testSecret}' },
  email: { autoconfirm: true },
  passwords: { argon2: { memoryKib: 64, iterations: 1 } },
}`
const service = `import { createAuth } from '${built}'
export const auth = createAuth(${settings})
setInterval(() => {}, 60_000)`

describe('--config', () => {
  it.each([
    ['a service', 'auth.ts', service],
    [
      'a configuration',
      'latchkey.config.ts',
      `const config: object = ${settings}\nexport { config }`,
    ],
    ['a function', 'lib/auth.ts', `export default async () => (${settings})`],
    ['JavaScript', 'server/accounts.mjs', `export default ${settings}`],
  ])('accepts a file that exports %s', async (_, file, text) => {
    const folder = application(file, text)
    const email = `user${Math.random()}@example.test`
    const created = await run(folder, `admin create-user ${email} --config ${file}`)
    const listed = await run(folder, `admin list --config=./${file}`)
    const migrated = await run(folder, `migrate --config ${file}`)
    const keys = await run(folder, `keys list --config ${file}`)
    const outbox = await run(folder, `outbox list --config ${file}`)

    expect([created.code, created.output]).toEqual([0, expect.stringContaining(email)])
    expect([listed.code, listed.output]).toEqual([0, expect.stringContaining(email)])
    expect([migrated.code, migrated.output]).toEqual([0, expect.stringMatching(/up to date\n$/)])
    expect([keys.code, keys.output]).toEqual([0, expect.stringContaining('root key')])
    expect(outbox.code, outbox.output).toBe(0)
  })

  it.each([
    ['createAuth', `import { createAuth } from '${built}'\nexport const auth = createAuth(`, ')'],
    [
      'createSharedAuth',
      `import { createSharedAuth } from '${shared}'\nexport const { auth } = createSharedAuth(() => (`,
      '))',
    ],
  ])('N03: requires only the settings that a command uses of %s', async (_, before, after) => {
    const folder = application(
      'auth.ts',
      `${before}{ database: process.env.DATABASE_URL, jwt: { secret: process.env.JWT_SECRET } }${after}`,
    )
    const listed = await run(folder, 'admin list')
    const keys = await run(folder, 'keys list')
    const examined = await run(folder, 'doctor')

    expect(listed.code, listed.output).toBe(0)
    expect([keys.code, keys.output]).toEqual([
      1,
      expect.stringMatching(/encryptionKey is required/),
    ])
    expect(keys.output).not.toContain('email.smtp.host')
    expect(examined.output).toMatch(/settings: auth.ts\n.*problem: siteUrl is required/s)
  })

  it('N03: is accepted by import', async () => {
    const folder = application('auth.ts', service)
    const record = '{"email":"imported@example.test"}'
    writeFileSync(join(folder, 'users.jsonl'), record)
    const named = await run(folder, 'import users users.jsonl --config auth.ts')
    const found = await run(folder, 'import users users.jsonl')
    const gotrue = await run(folder, `import gotrue ${database.url} --config auth.ts`)

    expect([named.code, named.output]).toEqual([0, expect.stringMatching(/^imported\t1$/m)])
    expect([found.code, found.output]).toEqual([0, expect.stringMatching(/^already there\t1$/m)])
    expect(found.output).toContain('Using the settings of auth.ts.')
    expect(gotrue.output).not.toContain('is required')
  })

  it('N03: is accepted by lists, where the application has created the pages', async () => {
    const folder = application('auth.ts', service)
    const before = await run(folder, 'lists --config auth.ts')
    const enabled = { AUTH_DATABASE_URL: database.url, AUTH_SUBSCRIBE_PAGES_ENABLED: 'true' }
    await run(folder, 'migrate', enabled)
    const created = await run(folder, 'lists create News')
    const listed = await run(folder, 'lists --config auth.ts')

    expect([before.code, before.output]).toEqual([
      1,
      expect.stringContaining('createSubscribePages'),
    ])
    expect([created.code, created.output]).toEqual([0, expect.stringContaining('News')])
    expect([listed.code, listed.output]).toEqual([0, expect.stringContaining('News')])
  })

  it('N03: loads files with the imports that bundlers accept', async () => {
    const folder = application(
      'auth.ts',
      `import { after } from 'framework/server'\nimport { url } from './src/database'\n` +
        `import { mode } from './src/modes'\n` +
        `export default { ...${settings}, database: url, email: { autoconfirm: mode === after } }`,
    )
    const write = (file: string, text: string) => {
      mkdirSync(dirname(join(folder, file)), { recursive: true })
      writeFileSync(join(folder, file), text)
    }
    write('src/database.ts', 'export const url: string | undefined = process.env.DATABASE_URL')
    write('src/modes/index.ts', `export const mode: string = 'after'`)
    write('node_modules/framework/package.json', '{"name":"framework"}')
    write('node_modules/framework/server.js', `exports.after = 'after'`)

    const { code, output } = await run(folder, 'admin list')
    write('src/database.ts', `export { url } from './missing'`)
    const missing = await run(folder, 'admin list')

    expect(code, output).toBe(0)
    expect([missing.code, missing.output]).toEqual([
      1,
      expect.stringMatching(/auth\.ts cannot be loaded: Cannot find module '[^']+src\/missing'/),
    ])
  })

  it.each([
    'latchkey.config.ts',
    'latchkey.config.js',
    'latchkey.config.mjs',
    'auth.ts',
    'auth.js',
    'src/auth.ts',
    'src/auth.js',
    'lib/auth.ts',
    'server/auth.ts',
  ])('N03: finds %s', async (file) => {
    const { code, output } = await run(
      application(file, `export default ${settings}`),
      'admin list',
    )

    expect([code, output]).toEqual([0, expect.stringContaining(`Using the settings of ${file}.\n`)])
  })

  it('finds the usual files where the environment names no database', async () => {
    const folder = application('src/auth.ts', service)
    const found = await run(folder, 'admin list')
    const named = await run(folder, 'admin list', { AUTH_DATABASE_URL: database.url })

    expect([found.code, found.output]).toEqual([
      0,
      expect.stringContaining('Using the settings of src/auth.ts.\n'),
    ])
    expect([named.code, named.output]).toEqual([0, expect.not.stringContaining('src/auth.ts')])
  })

  it('is named by doctor, which checks these settings', async () => {
    const folder = application('src/auth.ts', service)
    const found = await run(folder, 'doctor')
    const named = await run(folder, 'doctor --config ./src/auth.ts')
    const wrong = await run(
      application('auth.ts', 'export default { siteUrl: 1 }'),
      'doctor --config auth.ts',
    )

    expect(found.output).toMatch(/^settings: src\/auth\.ts$/m)
    expect(named.output).toMatch(/^settings: \.\/src\/auth\.ts$/m)
    expect(named.output).toMatch(/^database: reached/m)
    expect([wrong.code, wrong.output]).toEqual([1, expect.stringMatching(/^problem: siteUrl /m)])
  })

  it('leaves a usual file of another library to it', async () => {
    const folder = application('auth.ts', `export const auth = () => { throw new Error('called') }`)
    const { code, output } = await run(folder, 'admin list')

    expect(code, output).toBe(0)
    expect(output).not.toContain('auth.ts')
  })

  it('requires the settings that a command uses', async () => {
    const folder = application('auth.js', 'export default { database: process.env.DATABASE_URL }')
    const listed = await run(folder, 'admin list')
    const created = await run(folder, 'admin create-user eve@example.test')

    expect(listed.code, listed.output).toBe(0)
    expect([created.code, created.output]).toEqual([
      1,
      expect.stringContaining('jwt.secret is required'),
    ])
  })

  it.each([
    ['a missing file', 'other.ts', '', 2, 'other.ts does not exist'],
    ['a file without such an export', 'auth.ts', 'export const x = 1', 1, 'must export a service'],
    ['a file that fails', 'auth.ts', `throw new Error('no vault')`, 1, 'be loaded: no vault'],
    ['a file with an invalid setting', 'auth.ts', `export default { siteUrl: 1 }`, 1, 'siteUrl'],
  ])('rejects %s without a stack', async (_, file, text, expectedCode, expected) => {
    const folder = application('auth.ts', text)
    const { code, output } = await run(folder, `admin list --config ${file}`)

    expect([code, output]).toEqual([expectedCode, expect.stringContaining(expected)])
    expect(output).not.toMatch(/^\s+at /m)
  })

  it.each([
    ['waits for an event that nothing causes', 'export default await new Promise(() => {})'],
    ['ends the process', 'process.exit(0)'],
  ])('S64: reports no success where the file %s', async (_, text) => {
    const folder = application('latchkey.config.js', text)
    const { code, output } = await run(folder, 'migrate')

    expect([code, output]).toEqual([1, expect.stringContaining('ended before the command')])
  })

  it('reports the error of a file once, and a remedy for ES modules in a CommonJS package', async () => {
    const thrown = application('auth.mjs', "throw new Error('boom')")
    const commonJs = application('auth.ts', service)
    writeFileSync(join(commonJs, 'package.json'), '{"type":"commonjs"}')

    const { output } = await run(thrown, 'admin list --config auth.mjs')
    const rejected = await run(commonJs, 'admin list --config auth.ts')

    expect(output).toBe('--config: auth.mjs cannot be loaded: boom\n')
    expect(rejected.output).toMatch(
      /^--config: auth\.ts cannot be loaded: (?!.*: ).*CommonJS\. Run npm pkg set type=module/m,
    )
  })

  it('states both remedies where Node does not load TypeScript', async () => {
    const folder = application('auth.ts', service)
    const { code, output } = await run(folder, 'admin list', {
      NODE_OPTIONS: '--no-experimental-strip-types',
    })

    expect([code, output]).toEqual([1, expect.stringMatching(/Node 22\.18 .* JavaScript .* tsx/)])
  })
})
