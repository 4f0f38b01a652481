import { createHmac } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { keyIdOf } from '../src/platform/kit/sealed-box.ts'
import { type CliOptions, runCli } from './support/cli-process.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'
import { columnKeys, createSourceDatabase } from './support/gotrue/source-database.ts'
import { totpOf } from './support/second-factors.ts'
import { environmentFor, type ServerProcess, startServer } from './support/server-process.ts'
import { runSql } from './support/sql.ts'
import { createStorage, openClient } from './support/supabase-client.ts'
import { hasTerminal, onTerminal } from './support/terminal.ts'
import { testSecret } from './support/test-auth.ts'

/** The stored secrets and hashes. */
const stateText = `select secret from auth.factors
  union all select token_hash from auth.imported_tokens order by 1`

let source: TestDatabase
let database: TestDatabase
let server: ServerProcess
let folder: string

const keys = { GOTRUE_SECURITY_DB_ENCRYPTION_DECRYPTION_KEYS: columnKeys }

/** Runs `latchkey import gotrue …`, which reads the source's URL from its environment. */
const importGotrue = (
  args: string[] = [],
  { env, ...options }: CliOptions & { on?: TestDatabase } = {},
) =>
  runCli(['import', 'gotrue', ...args], {
    ...environmentFor((options.on ?? database).url, {
      GOTRUE_DB_DATABASE_URL: source.url,
      ...keys,
      ...env,
    }),
    ...options,
  })

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'latchkey-gotrue-'))
  source = await createSourceDatabase('layout.sql', 'people.sql')
  database = await createTestDatabase()
  server = await startServer(database.url)
})
afterAll(async () => {
  await server?.stop()
  await database?.drop()
  await source?.drop()
  rmSync(folder, { recursive: true, force: true })
})

/** Signs an access token for a session as the other service does, with the shared secret. */
function oldAccessToken(userId: string, sessionId: string): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const now = Math.floor(Date.now() / 1000)
  const claims = {
    aud: 'authenticated',
    iat: now - 60,
    exp: now + 3540,
    sub: userId,
    session_id: sessionId,
    email: 'ada@example.test',
    phone: '',
    role: 'editor',
    aal: 'aal2',
    is_anonymous: false,
    app_metadata: {},
    user_metadata: {},
    amr: [{ method: 'totp', timestamp: now - 60 }],
  }
  const text = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`
  return `${text}.${createHmac('sha256', testSecret).update(text).digest('base64url')}`
}

/** The storage of a client that was signed in at the other service. */
function signedInThere(expiresAt: number) {
  const userId = 'a0000000-0000-4000-8000-000000000001'
  const storage = createStorage()
  const session = {
    access_token: oldAccessToken(userId, 'c0000000-0000-4000-8000-000000000001'),
    refresh_token: 'adathird2222',
    token_type: 'bearer',
    expires_in: 3600,
    expires_at: expiresAt,
    user: { id: userId, email: 'ada@example.test', aud: 'authenticated', app_metadata: {} },
  }
  storage.setItem('session', JSON.stringify(session))
  return openClient(server.url, { storage })
}

describe('latchkey import gotrue', () => {
  it('prints in a dry run what an import would store, and stores nothing', async () => {
    const { code, output } = await importGotrue(['--dry-run'])

    expect(code).toBe(0)
    expect(output).toContain('users added\t17\n')
    expect(output).toContain('sessions opened\t10\n')
    expect(output).toContain('This was a dry run: nothing was stored.')
    expect(await runSql(database.url, 'select from auth.users')).toEqual([])
  })

  it('imports all users beside a running server, and lists what it omits', async () => {
    const file = join(folder, 'losses.jsonl')

    const { code, output } = await importGotrue(['--report', file])

    expect(code).toBe(0)
    expect(output).toContain('users added\t17\n')
    expect(output).toMatch(/Not imported: .*1 × password: unknown hash/)
    expect(output).toContain('OAuth clients added\t2\n')
    expect(output).toMatch(/Remains at the source: 1 × SSO provider, 1 × pending link or code/)
    const losses = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(losses).toHaveLength(9)
    expect(losses).toContainEqual({
      user_id: 'a0000000-0000-4000-8000-000000000012',
      what: 'password',
      reason: 'unknown hash',
    })
    expect(losses).toContainEqual({
      user_id: null,
      what: 'OAuth client',
      id: '0c000000-0000-4000-8000-000000000005',
      reason: 'redirect_uris not permitted',
    })
    expect(output).not.toMatch(/@|postgres:/)
  })

  it('leaves the unmodified client signed in: its access token is valid, and its session renewed', async () => {
    const client = signedInThere(Math.floor(Date.now() / 1000) + 3540)

    const before = await client.getUser()
    const { data, error } = await client.refreshSession()
    const again = await client.refreshSession()

    expect(before.data.user).toMatchObject({
      role: 'editor',
      user_metadata: { full_name: 'Ada Lovelace' },
    })
    expect(error).toBeNull()
    expect(data.session?.refresh_token).not.toBe('adathird2222')
    expect(again.error).toBeNull()
    const level = await client.mfa.getAuthenticatorAssuranceLevel()
    expect(level.data).toMatchObject({ currentLevel: 'aal2', nextLevel: 'aal2' })
    expect((await client.getUserIdentities()).data?.identities).toHaveLength(2)
  })

  it('leaves the factor of the unmodified client valid', async () => {
    const client = openClient(server.url)
    await client.signInWithPassword({ email: 'mia@example.test', password: 'correct horse' })
    const { data } = await client.mfa.listFactors()
    const factorId = data?.totp[0]?.id ?? ''

    const code = totpOf('KRUGKIDROVUWG2ZAMJZG653OEBTG66BA', new Date())
    const { error } = await client.mfa.challengeAndVerify({ factorId, code })

    expect(error).toBeNull()
    const level = await client.mfa.getAuthenticatorAssuranceLevel()
    expect(level.data?.currentLevel).toBe('aal2')
  })

  it('may be repeated, and has output for programs', async () => {
    const { code, output } = await importGotrue(['--json'])

    const report = JSON.parse(output)
    expect(code).toBe(0)
    expect(report).toMatchObject({ dryRun: false, done: 17, users: { added: 0, unchanged: 17 } })
  })

  it('exits with 1 when it rejected a user, and stores the others', async () => {
    const own = await createTestDatabase()
    await runCli(['admin', 'create-user', 'bob@example.test'], environmentFor(own.url))

    const { code, output } = await importGotrue([], { on: own })

    expect(code).toBe(1)
    expect(output).toContain('users rejected\t1\n')
    expect(output).toContain('1 × user: email_exists')
    expect(output).toContain('users added\t16\n')
    await own.drop()
  })

  it('stores nothing with another root key than that of earlier data, and names both keys', async () => {
    const otherSecret = { AUTH_JWT_SECRET: 'another secret of at least thirty-two characters' }
    const before = await runSql(database.url, stateText)

    const { code, output } = await importGotrue([], { env: otherSecret })

    expect(code).toBe(1)
    const [, needed, used] =
      /needs?.*root key ([0-9a-f]{12}) seals .*factors \d.*use root key ([0-9a-f]{12})/.exec(
        output,
      ) ?? []
    expect([needed, used]).toEqual([keyIdOf(testSecret), keyIdOf(otherSecret.AUTH_JWT_SECRET)])
    expect(output).toMatch(/root key [0-9a-f]{12} hashes imported refresh tokens \d/)
    expect(output).toContain('--replace-root-key')
    expect(await runSql(database.url, stateText)).toEqual(before)
  })

  it.each([
    ['AUTH_JWT_SECRET', `another secret of at least thirty-two characters,${testSecret}`],
    ['AUTH_ENCRYPTION_KEY', 'another secret of at least thirty-two characters'],
  ])(
    'stores nothing with another current root key in %s, and imports it with an option',
    async (name, value) => {
      const own = await createTestDatabase()
      const env = { [name]: value }
      await importGotrue([], { on: own })
      const before = await runSql(own.url, stateText)

      const rejected = await importGotrue([], { on: own, env })
      const accepted = await importGotrue(['--replace-root-key'], { on: own, env })

      expect([rejected.code, accepted.code]).toEqual([1, 0])
      const [former, current] = [
        testSecret,
        'another secret of at least thirty-two characters',
      ].map(keyIdOf)
      expect(rejected.output).toMatch(
        new RegExp(`root key ${former} hashes .*would use root key ${current}, which nothing`),
      )
      expect(accepted.output).toContain(`New factors and refresh tokens need root key ${current};`)
      expect(await runSql(own.url, stateText)).toEqual(before)
      await own.drop()
    },
  )

  it('detects another root key by the refresh tokens alone, in a dry run, too', async () => {
    const own = await createTestDatabase()
    await importGotrue([], { on: own })
    await runSql(own.url, 'delete from auth.factors; delete from auth.custom_providers')
    const otherSecret = { AUTH_JWT_SECRET: 'another secret of at least thirty-two characters' }

    const { code, output } = await importGotrue(['--dry-run'], { on: own, env: otherSecret })

    expect(code).toBe(1)
    expect(output).toContain(`root key ${keyIdOf(testSecret)} hashes imported refresh tokens`)
    expect(output).not.toContain('seals')
    const doctor = await runCli(['doctor'], environmentFor(own.url, otherSecret))
    expect(doctor.output).toMatch(
      new RegExp(
        `^warning: root keys: ${keyIdOf(testSecret)} is not configured, and hashes imported refresh tokens \\d`,
        'm',
      ),
    )
    const listed = await runCli(['keys', 'list'], environmentFor(own.url, otherSecret))
    expect(listed.output).toMatch(
      new RegExp(
        `^root key ${keyIdOf(testSecret)} {2}missing {2}hashes imported refresh tokens`,
        'm',
      ),
    )
    await own.drop()
  })

  it('seals imported factors again where the former root key is lost', async () => {
    const own = await createTestDatabase()
    const lost = { AUTH_JWT_SECRET: 'another secret of at least thirty-two characters' }
    await importGotrue([], { on: own, env: lost })

    const { code, output } = await importGotrue(['--replace-root-key'], { on: own })

    expect(code).toBe(0)
    expect(output).toMatch(/factors sealed again\t[1-9]/)
    const kept = await runSql(
      own.url,
      `select from auth.factors where secret like 'v2.${keyIdOf(lost.AUTH_JWT_SECRET)}.%'
       union all select from auth.imported_tokens where token_hash like '${keyIdOf(lost.AUTH_JWT_SECRET)}.%'`,
    )
    expect(kept).toEqual([])
    await own.drop()
  })

  it('deletes users that the source no longer has only with an option', async () => {
    const one = `delete from auth.users where id = 'a0000000-0000-4000-8000-000000000003'`
    await runSql(source.url, one)

    const counted = await importGotrue()
    const pruned = await importGotrue(['--prune'])

    expect(counted.output).toContain('users missing at the source\t1\n')
    expect(counted.output).toContain('--prune deletes those not changed here')
    expect(pruned.output).toContain('users removed\t1\n')
  })
})

describe('latchkey import gotrue rejects', () => {
  it('--prune with an empty source, with 1, and names the option for it', async () => {
    const empty = await createSourceDatabase('layout.sql')

    const { code, output } = await importGotrue(['--prune', empty.url])

    expect(code).toBe(1)
    expect(output).toMatch(/would delete \d+ of \d+ imported users, .* add --prune-share .*\(100\)/)
    await empty.drop()
  })

  it.each([
    ['no URL', [], { GOTRUE_DB_DATABASE_URL: '' }, 'expects a URL'],
    ['another URL', ['mysql://root:hunter2@host/db'], {}, 'the URL must be postgres://'],
    ['what is no URL', ['root:hunter2@host/db'], {}, 'the URL must be postgres://'],
    ['two URLs', ['postgres://a/b', 'postgres://c/d'], {}, 'expects one URL'],
    ['a share above 100', ['--prune-share', '101'], {}, '--prune-share must be a percentage'],
    ['a share of 0', ['--prune-share', '0'], {}, '--prune-share must be a percentage'],
    ['an unknown flag', ['--force'], {}, 'unknown option --force'],
    ['keys of another form', [], { ...keysOf('key-2024:hunter2') }, 'must be id:key,id:key'],
    [
      'a report that cannot be written',
      ['--report', '/nowhere/x'],
      {},
      '/nowhere/x cannot be created, as its folder',
    ],
  ])('%s, with 2', async (_case, args, env, expected) => {
    const { code, output } = await importGotrue(args, { env })

    expect(code).toBe(2)
    expect(output).toContain(expected)
    expect(output).not.toContain('hunter2')
  })

  it.each([
    ['a key that is missing', [], keysOf(''), 'with the key "key-2024", which is missing'],
    [
      'a source that does not answer',
      ['postgres://u:hunter2@127.0.0.1:1/x'],
      {},
      'No server accepts connections at 127.0.0.1:1 (database "x"). Start PostgreSQL',
    ],
    ['another schema', ['--schema', 'public'], {}, 'contains no GoTrue users'],
  ])('%s in one sentence, with 1', async (_case, args, env, expected) => {
    const own = await createTestDatabase()

    const { code, output } = await importGotrue(args, { env, on: own })

    expect(code).toBe(1)
    expect(output).toContain(expected)
    expect(output.trim().split('\n')).toHaveLength(1)
    expect(output).not.toContain('hunter2')
    await own.drop()
  })
})

function keysOf(text: string) {
  return { GOTRUE_SECURITY_DB_ENCRYPTION_DECRYPTION_KEYS: text }
}

describe.skipIf(!hasTerminal())('latchkey import gotrue on a terminal', () => {
  it('shows its progress, and a table at the end', async () => {
    const own = await createTestDatabase()

    const { code, output } = await importGotrue([], { on: own, wrap: onTerminal })

    expect(code).toBe(0)
    expect(output).toContain('[################] 100 %')
    expect(output).toMatch(/what +how many\r$/m)
    await own.drop()
  })
})
