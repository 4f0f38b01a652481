import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { runCli } from './support/cli-process.ts'
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from './support/database.ts'
import { startServer } from './support/server-process.ts'
import { startSmtpServer } from './support/smtp-server.ts'
import { runSql } from './support/sql.ts'
import { testSecret } from './support/test-auth.ts'

let database: TestDatabase

beforeEach(async () => {
  database = await createTestDatabase()
})
afterEach(() => database.drop())

const doctor = (env: Record<string, string>, ...words: string[]) =>
  runCli(['doctor', ...words], {
    env: {
      AUTH_SITE_URL: 'https://app.example.test',
      AUTH_API_EXTERNAL_URL: 'https://auth.example.test',
      AUTH_DATABASE_URL: database.url,
      AUTH_JWT_SECRET: testSecret,
      ...env,
    },
  })

const mailAt = (port: number) => ({
  AUTH_SMTP_HOST: '127.0.0.1',
  AUTH_SMTP_PORT: String(port),
  AUTH_SMTP_ADMIN_EMAIL: 'auth@example.test',
})

describe('latchkey doctor', () => {
  it('H35: reports that no server listens at the port of the mail server', async () => {
    const server = await startSmtpServer()
    const reached = await doctor(mailAt(server.port))
    await server.close()
    const closed = await doctor(mailAt(server.port))

    expect([reached.code, reached.output]).toEqual([0, expect.stringMatching(/^mail: reached/m)])
    expect([closed.code, closed.output]).toEqual([
      1,
      expect.stringMatching(/^problem: mail: .*ECONNREFUSED\n {2}remedy: check AUTH_SMTP_HOST/m),
    ])
    expect(reached.output).toMatch(/^clock: differs from that of the database by 0\.\d s$/m)
    expect(reached.output).toMatch(/^connections: \d+ of \d+ connections of the server are open; /m)
    expect(reached.output).toMatch(/^keys: AUTH_JWT_SECRET signs/m)
    expect(server.mails).toEqual([])
  })

  it('reports required packages that are missing', async () => {
    const hidden = `import { registerHooks } from 'node:module'
      registerHooks({ resolve(name, context, next) {
        if (/sdk-metrics|exporter-prometheus|language-en/.test(name)) throw new Error('not there')
        return next(name, context)
      } })`
    const settings = {
      AUTH_MAILER_AUTOCONFIRM: 'true',
      AUTH_METRICS_ENABLED: 'true',
      AUTH_METRICS_EXPORTER: 'prometheus',
      AUTH_PASSWORD_MIN_SCORE: '3',
    }
    const whole = await doctor(settings)
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(hidden)}`
    const lacking = await doctor({ ...settings, NODE_OPTIONS })

    expect(whole.output).toMatch(/^telemetry: .*\npasswords: /m)
    expect(whole.code).toBe(0)
    expect(lacking.code).toBe(1)
    expect(lacking.output).toMatch(
      /^problem: telemetry: .*npm install @opentelemetry\/sdk-metrics @opentelemetry\/exporter-prometheus,/m,
    )
    expect(lacking.output).toMatch(/^problem: passwords: .*@zxcvbn-ts\/language-en/m)
  })

  it('reports that the mail server rejects the credentials', async () => {
    await using server = await startSmtpServer({ auth: { user: 'ada', pass: 'right' } })
    const { code, output } = await doctor({
      ...mailAt(server.port),
      AUTH_SMTP_USER: 'ada',
      AUTH_SMTP_PASS: 'c4n4ry',
    })

    expect(code).toBe(1)
    expect(output).toMatch(/^problem: mail: .*\n {2}remedy: check that AUTH_SMTP_USER and/m)
    expect(output).not.toContain('c4n4ry')
  })

  it('T45: reports that an advisory of the given list affects this version', async () => {
    const advisory = {
      id: 'GHSA-aaaa-bbbb-cccc',
      aliases: ['CVE-2030-12345'],
      modified: '2030-01-01T00:00:00Z',
      summary: 'Links could be used twice',
      affected: [
        {
          package: { ecosystem: 'npm', name: 'latchkey' },
          ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }, { fixed: '99.0.0' }] }],
        },
      ],
    }
    const folder = mkdtempSync(join(tmpdir(), 'latchkey-advisories-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const file = join(folder, 'advisories.json')
    writeFileSync(file, JSON.stringify([advisory]))
    const settings = { AUTH_MAILER_AUTOCONFIRM: 'true' }
    const own = await doctor(settings)
    const newest = await doctor(settings, '--advisories', file)

    expect([own.code, own.output]).toEqual([
      0,
      expect.stringMatching(/^advisories: .* in no published advisory/m),
    ])
    expect([newest.code, newest.output]).toEqual([
      1,
      expect.stringMatching(/^problem: advisories: .*CVE-2030-12345.*\n {2}remedy: update to 99/m),
    ])
  })

  it('reports a schema that contains the tables of another program, which is not migrated', async () => {
    const foreign = await createEmptyDatabase()
    await runSql(foreign.url, 'create schema auth; create table auth.users (id int)')
    const { code, output } = await doctor({
      AUTH_MAILER_AUTOCONFIRM: 'true',
      AUTH_DATABASE_URL: foreign.url,
    })
    await foreign.drop()

    expect([code, output]).toEqual([
      1,
      expect.stringMatching(
        /^problem: database: the schema "auth" contains objects that are not Latchkey's.*\n {2}remedy: set another schema in AUTH_DB_SCHEMA/m,
      ),
    ])
    expect(output).not.toContain('latchkey migrate')
  })

  it('reports missing privileges with their remedy, as latchkey migrate does', async () => {
    const empty = await createEmptyDatabase()
    const url = new URL(empty.url)
    const name = url.pathname.slice(1)
    url.username = `${name}_reader`
    await runSql(empty.url, `create role ${url.username} login password '${url.password}'`)
    const env = { AUTH_DATABASE_URL: url.href, AUTH_MAILER_AUTOCONFIRM: 'true' }
    const migrated = await runCli(['migrate'], { env })
    await runSql(empty.url, 'create schema auth; create table auth.latchkey_migrations (id int)')
    const checked = await doctor(env)
    await empty.drop()
    await runSql(database.url, `drop role ${url.username}`)

    expect([migrated.code, checked.code]).toEqual([1, 1])
    expect(migrated.output).toContain(
      `permission denied for database ${name}. As the owner of the database, run \`grant create on`,
    )
    expect(migrated.output).not.toMatch(/^\s+at /m)
    expect(checked.output).toMatch(
      /^problem: database: permission denied for schema auth\n {2}remedy: Use the role that owns/m,
    )
  })

  it('reports a database that does not exist with one remedy, also as JSON', async () => {
    const url = new URL(database.url)
    url.pathname = '/none_of_this_name'
    const env = { AUTH_DATABASE_URL: url.href, AUTH_MAILER_AUTOCONFIRM: 'true' }
    const { code, output } = await doctor(env)
    const json = await doctor(env, '--json')
    const invalid = await doctor({ ...env, AUTH_SITE_URL: '' }, '--json')

    expect([code, json.code, invalid.code]).toEqual([1, 1, 1])
    expect(output).toMatch(/^problem: database: .*Create it with createdb, .*\n(?! {2}remedy)/m)
    expect(JSON.parse(json.output)).toMatchObject({
      node: process.version,
      findings: expect.arrayContaining([
        { level: 'problem', about: 'database', message: expect.stringContaining('createdb') },
        expect.objectContaining({ level: 'warning', about: 'settings' }),
      ]),
    })
    expect(JSON.parse(invalid.output).findings).toContainEqual(
      expect.objectContaining({ level: 'problem', about: 'AUTH_SITE_URL' }),
    )
  })

  it('counts the migrations of a newer version', async () => {
    await runSql(
      database.url,
      "insert into auth.latchkey_migrations (name) values ('20990101-newer')",
    )
    const { output } = await doctor({ AUTH_MAILER_AUTOCONFIRM: 'true' })

    expect(output).toMatch(
      /^database: reached; \d+ migrations applied \(1 of a newer version\), 0 p/m,
    )
  })

  it('reports functions of hooks that do not exist or cannot be executed', async () => {
    const url = new URL(database.url)
    url.username = 'hook_caller'
    await runSql(
      database.url,
      `create schema hidden;
       create function hidden.claims(event jsonb) returns jsonb language sql as 'select event';
       revoke execute on function hidden.claims from public;
       create role hook_caller login password '${url.password}';
       grant pg_read_all_data to hook_caller`,
    )
    const { code, output } = await doctor({
      AUTH_DATABASE_URL: url.href,
      AUTH_MAILER_AUTOCONFIRM: 'true',
      AUTH_HOOK_CUSTOM_ACCESS_TOKEN_ENABLED: 'true',
      AUTH_HOOK_CUSTOM_ACCESS_TOKEN_URI: 'pg-functions://postgres/hidden/claims',
      AUTH_HOOK_BEFORE_USER_CREATED_ENABLED: 'true',
      AUTH_HOOK_BEFORE_USER_CREATED_URI: 'pg-functions://postgres/public/missing',
    })
    await runSql(database.url, 'drop role hook_caller')

    expect(code).toBe(1)
    expect(output).toMatch(
      /^problem: hooks: customAccessToken: the function hidden.claims cannot be executed/m,
    )
    expect(output).toMatch(
      /^problem: hooks: beforeUserCreated: the function public.missing with one argument does not exist/m,
    )
  })

  it('reports keys that were encrypted with another key, and pending migration steps', async () => {
    const own = { AUTH_JWT_SECRET: '', AUTH_MAILER_AUTOCONFIRM: 'true' }
    const empty = await createEmptyDatabase()
    const before = await doctor({
      ...own,
      AUTH_DATABASE_URL: empty.url,
      AUTH_ENCRYPTION_KEY: 'an encryption key of more than 32 bytes',
    })
    await empty.drop()
    const server = await startServer(database.url, {
      ...own,
      AUTH_ENCRYPTION_KEY: 'an encryption key of more than 32 bytes',
    })
    await server.stop()
    const after = await doctor({
      ...own,
      AUTH_ENCRYPTION_KEY: 'another encryption key of more than 32 bytes',
    })

    expect(before.output).toMatch(
      /^warning: migrations: pending: .*\n {2}remedy: latchkey migrate/m,
    )
    expect([after.code, after.output]).toEqual([
      1,
      expect.stringMatching(/^problem: keys: 1 of 1 cannot be read\n {2}remedy: add the key/m),
    ])
  })

  it('H34: lists missing settings and settings without effect', async () => {
    const { code, output } = await doctor({
      AUTH_MAILER_AUTOCONFIRM: 'true',
      AUTH_SAML_ENABLED: 'true',
      AUTH_SECURITY_CAPTCHA_ENABLED: 'true',
    })

    expect(code).toBe(1)
    expect(output).toMatch(/^problem: AUTH_SECURITY_CAPTCHA_SECRET is required/m)
    expect(output).toMatch(/^warning: AUTH_SAML_ENABLED has no effect/m)
    expect(output.match(/AUTH_SAML_ENABLED/g)).toHaveLength(1)
    expect(output).toMatch(
      /^not checked until the problems are solved: advisories, database, workers/m,
    )
    expect(output).toMatch(/^warning: AUTH_RATE_LIMIT_HEADER is not set/m)
  })
})
