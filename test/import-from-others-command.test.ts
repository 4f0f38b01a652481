import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { hash as bcryptHash } from '@node-rs/bcrypt'
import { betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { admin, phoneNumber, username } from 'better-auth/plugins'
import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCli } from './support/cli-process.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'
import { environmentFor } from './support/server-process.ts'
import { runSql } from './support/sql.ts'
import { startTestAuth, type TestAuth } from './support/test-auth.ts'

const pages: Readonly<Record<string, string>> = {
  'Better Auth': 'moving-from-better-auth.md',
  'Better Auth on SQLite': 'moving-from-better-auth.md',
  'Auth.js': 'moving-from-auth-js.md',
  Django: 'import.md',
}

/**
 * Returns the SQL that the page of a service contains.
 *
 * @param what `lines` for the statement that writes the file of users; `rows` for the change of the
 *   application's own tables.
 */
function documentedSql(service: string, what: 'lines' | 'rows' = 'lines'): string {
  const page = readFileSync(join(import.meta.dirname, '../docs', pages[service] ?? ''), 'utf8')
  const [, sql] =
    new RegExp(`<!-- ${what}: ${service} -->\n\`\`\`sql\n([\\s\\S]*?)\`\`\``).exec(page) ?? []
  if (!sql) throw new Error(`${pages[service]} has no ${what} of ${service}`)
  return sql
}

let auth: TestAuth
let old: TestDatabase
let pool: Pool
let folder: string

beforeAll(async () => {
  auth = await startTestAuth()
  old = await createTestDatabase()
  pool = new Pool({ connectionString: old.url })
  folder = await mkdtemp(join(tmpdir(), 'latchkey-others-'))
})
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
  await pool.end()
  await old.drop()
  await auth.close()
})

/** Imports the output of the documented statement with the command. */
async function moveIn(service: string, text = documentedSql(service), env = {}) {
  const { rows } = await pool.query({ text, rowMode: 'array' })
  const file = join(folder, 'users.jsonl')
  await writeFile(file, rows.map(([record]) => `${JSON.stringify(record)}\n`).join(''))
  return runCli(['import', 'users', file], environmentFor(auth.databaseUrl, env))
}

/**
 * Runs the documented change of an application's own table, which has a row of this user of the old
 * service.
 */
async function pointNotes(service: string, oldId: string): Promise<unknown> {
  await runSql(auth.databaseUrl, 'drop table if exists notes')
  await runSql(auth.databaseUrl, 'create table notes (user_id text)')
  await runSql(auth.databaseUrl, `insert into notes values ('${oldId}')`)
  await runSql(auth.databaseUrl, documentedSql(service, 'rows'))
  const [note] = await runSql(auth.databaseUrl, 'select owner_id from notes')
  return note?.owner_id
}

const signIn = (email: string, password: string) =>
  auth.auth.api.signInWithPassword({ email, password })

const betterAuthOptions = () => ({
  baseURL: 'http://127.0.0.1',
  secret: 'a secret of thirty-two characters',
  database: pool,
  emailAndPassword: { enabled: true },
  telemetry: { enabled: false },
  logger: { disabled: true },
})

describe('users of Better Auth', () => {
  it('sign in with the passwords that it hashed', async () => {
    const service = betterAuth(betterAuthOptions())
    await (await getMigrations(service.options)).runMigrations()
    const ada = { name: 'Ada', email: 'ada@better.test', password: 'correct horse' }
    const { user: known } = await service.api.signUpEmail({ body: ada })
    await pool.query(`update "user" set "emailVerified" = true`)
    await pool.query(
      `insert into account (id, "accountId", "providerId", "userId", "createdAt", "updatedAt")
       values ('second', '1080', 'google', $1, now(), now()), ('third', '1081', 'linkedin', $1, now(), now()),
        ('fourth', 'an oid', 'microsoft', $1, now(), now())`,
      [known.id],
    )

    expect(await moveIn('Better Auth')).toMatchObject({ code: 0 })
    const { user } = await signIn(ada.email, ada.password)

    expect(user).toMatchObject({ appMetadata: { better_auth_id: known.id } })
    const providers = user.identities.map(({ provider }) => provider).sort()
    expect(providers).toEqual(['email', 'google', 'linkedin_oidc'])
    expect(await pointNotes('Better Auth', known.id)).toBe(user.id)
    await expect(signIn(ada.email, 'correct horsE')).rejects.toThrow()
  })
})

describe('users of Better Auth on SQLite', () => {
  it('sign in with the passwords that it hashed', async () => {
    const database = new DatabaseSync(':memory:')
    const service = betterAuth({ ...betterAuthOptions(), database })
    await (await getMigrations(service.options)).runMigrations()
    const lin = { name: 'Lin', email: 'lin@sqlite.test', password: 'correct horse' }
    const { user: known } = await service.api.signUpEmail({ body: lin })
    const unconfirmed = { ...lin, email: 'mo@sqlite.test' }
    await service.api.signUpEmail({ body: unconfirmed })
    database.exec(`update "user" set "emailVerified" = 1 where email = '${lin.email}'`)
    database.exec(
      `insert into account (id, "accountId", "providerId", "userId", "createdAt", "updatedAt")
       values ('second', '1090', 'twitter', '${known.id}', '', ''), ('third', 'oid', 'microsoft', '${known.id}', '', '')`,
    )

    const rows = database.prepare(documentedSql('Better Auth on SQLite')).all()
    const file = join(folder, 'sqlite.jsonl')
    await writeFile(file, rows.map((row) => `${Object.values(row)[0]}\n`).join(''))
    const imported = await runCli(['import', 'users', file], environmentFor(auth.databaseUrl))
    const { user } = await signIn(lin.email, lin.password)

    expect(imported).toMatchObject({ code: 0 })
    expect(user).toMatchObject({
      createdAt: known.createdAt,
      userMetadata: { full_name: 'Lin' },
      appMetadata: { better_auth_id: known.id },
    })
    expect(user.identities.map(({ provider }) => provider).sort()).toEqual(['email', 'x'])
    await expect(signIn(unconfirmed.email, lin.password)).rejects.toMatchObject({
      code: 'email_not_confirmed',
    })
  })
})

describe('users of plugins of Better Auth', () => {
  it('keep phone, ban, role and name, with the lines that the page adds', async () => {
    const plugins = [admin(), phoneNumber(), username()]
    const service = betterAuth({ ...betterAuthOptions(), plugins })
    await (await getMigrations(service.options)).runMigrations()
    const eve = { name: 'Eve', email: 'eve@better.test', password: 'correct horse' }
    await service.api.signUpEmail({ body: eve })
    await pool.query(
      `update "user" set banned = true, username = 'eve', role = 'editor', "phoneNumber" = '+447700900123', "phoneNumberVerified" = true
       where email = 'eve@better.test'`,
    )
    const [phone, ban, role, name] = pluginLines()
    const text = documentedSql('Better Auth')
      .replace("'app_metadata', json_build_object('better_auth_id', u.id),", role ?? '')
      .replace('json_build_object(\n', `json_build_object(\n${phone} ${ban} ${name}\n`)

    const enabled = { AUTH_USERNAMES_ENABLED: 'true' }
    expect(await moveIn('Better Auth', text, enabled)).toMatchObject({ code: 0 })
    const { users } = await auth.auth.admin.listUsers({ filter: 'eve@better.test' })
    const [{ id = '' } = {}] = users
    const named = await runSql(
      auth.databaseUrl,
      `select username from auth.users where id = '${id}'`,
    )

    expect(users).toMatchObject([
      { phone: '447700900123', bannedUntil: expect.any(Date), appMetadata: { role: 'editor' } },
    ])
    expect(named).toEqual([{ username: 'eve' }])
  })

  /** Returns the second column of the table of plugins. */
  function pluginLines(): string[] {
    const page = readFileSync(
      join(import.meta.dirname, '../docs/moving-from-better-auth.md'),
      'utf8',
    )
    return [...page.matchAll(/^\| `(?:phoneNumber|admin|username)` \| `(.*?,)`/gm)].map(
      ([, line = '']) => line,
    )
  }
})

describe('users of Auth.js', () => {
  it('are imported from the default tables, which have no passwords', async () => {
    // The tables of the adapter's documentation.
    await pool.query(`
      create table users (id serial primary key, name text, email text, "emailVerified" timestamptz, image text);
      create table accounts (id serial primary key, "userId" integer, type text, provider text, "providerAccountId" text);
      insert into users (id, name, email) values (100, 'Al', 'al@authjs.test')`)

    expect(await moveIn('Auth.js')).toMatchObject({ code: 0 })
    const { users } = await auth.auth.admin.listUsers({ filter: 'al@authjs.test' })

    expect(users).toMatchObject([{ appMetadata: { authjs_id: 100 } }])
  })

  it('sign in with the bcrypt hashes of the application, with the line that the page adds', async () => {
    const page = readFileSync(join(import.meta.dirname, '../docs/moving-from-auth-js.md'), 'utf8')
    const [, line = ''] = /`('password_hash', .*?,)`/.exec(page) ?? []
    await pool.query('alter table users add column password text')
    await pool.query(
      `insert into users (name, email, "emailVerified", password) values ('Bo', 'bo@authjs.test', now(), $1)`,
      [await bcryptHash('correct horse', 4)],
    )
    await pool.query(
      `insert into accounts ("userId", type, provider, "providerAccountId") values (1, 'oidc', 'microsoft-entra-id', '77')`,
    )

    const text = documentedSql('Auth.js').replace(
      'json_build_object(\n',
      `json_build_object(\n${line}\n`,
    )
    expect(await moveIn('Auth.js', text)).toMatchObject({ code: 0 })
    const { user } = await signIn('bo@authjs.test', 'correct horse')

    expect(user.identities.map(({ provider }) => provider)).toContain('azure')
    expect(await pointNotes('Auth.js', '1')).toBe(user.id)
  })
})

describe('users of Django', () => {
  const hash = 'pbkdf2_sha256$20000$H0dPx8NeajVu$GiC4k5kqbbR9qWBlsRgDywNqC2vd9kqfk7zdorEnNas='

  it('sign in with its PBKDF2, unless they are inactive', async () => {
    // The columns of django.contrib.auth and of django-allauth that are read.
    await pool.query(`
      create table auth_user (id serial primary key, password text, last_login timestamptz, first_name text, last_name text,
        email text, is_active boolean, date_joined timestamptz);
      create table account_emailaddress (user_id integer, email text, verified boolean);
      insert into auth_user (password, first_name, last_name, email, is_active, date_joined) values
        ('${hash}', 'Cy', 'Dee', 'cy@django.test', true, now()),
        ('${hash}', '', '', 'di@django.test', false, now()),
        ('!unusable', '', '', 'ed@django.test', true, now());
      insert into account_emailaddress select id, email, true from auth_user`)

    expect(await moveIn('Django')).toMatchObject({ code: 0 })

    expect(await signIn('cy@django.test', 'hashcat')).toMatchObject({
      user: { userMetadata: { full_name: 'Cy Dee' } },
    })
    await expect(signIn('di@django.test', 'hashcat')).rejects.toMatchObject({ code: 'user_banned' })
    await expect(signIn('ed@django.test', 'hashcat')).rejects.toMatchObject({
      code: 'invalid_credentials',
    })
  })
})
