import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hash as bcryptHash } from '@node-rs/bcrypt'
import { betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCli } from './support/cli-process.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'
import { environmentFor } from './support/server-process.ts'
import { startTestAuth, type TestAuth } from './support/test-auth.ts'

/** The statement that `docs/import.md` has for a service. */
function documentedSql(service: string): string {
  const page = readFileSync(join(import.meta.dirname, '../docs/import.md'), 'utf8')
  const [, sql] =
    new RegExp(`<!-- lines: ${service} -->\n\`\`\`sql\n([\\s\\S]*?)\`\`\``).exec(page) ?? []
  if (!sql) throw new Error(`docs/import.md has no statement for ${service}`)
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

/** Imports what the documented statement writes, by the command. */
async function moveIn(service: string) {
  const { rows } = await pool.query({ text: documentedSql(service), rowMode: 'array' })
  const file = join(folder, 'users.jsonl')
  await writeFile(file, rows.map(([record]) => `${JSON.stringify(record)}\n`).join(''))
  return runCli(['import', 'users', file], environmentFor(auth.databaseUrl))
}

const signIn = (email: string, password: string) =>
  auth.auth.api.signInWithPassword({ email, password })

describe('users of Better Auth', () => {
  it('sign in with the passwords that it hashed', async () => {
    const service = betterAuth({
      baseURL: 'http://127.0.0.1',
      secret: 'a secret of thirty-two characters',
      database: pool,
      emailAndPassword: { enabled: true },
      telemetry: { enabled: false },
      logger: { disabled: true },
    })
    await (await getMigrations(service.options)).runMigrations()
    const ada = { name: 'Ada', email: 'ada@better.test', password: 'correct horse' }
    const { user: known } = await service.api.signUpEmail({ body: ada })
    await pool.query(`update "user" set "emailVerified" = true`)
    await pool.query(
      `insert into account (id, "accountId", "providerId", "userId", "createdAt", "updatedAt")
       values ('second', '1080', 'google', $1, now(), now())`,
      [known.id],
    )

    expect(await moveIn('Better Auth')).toMatchObject({ code: 0 })
    const { user } = await signIn(ada.email, ada.password)

    expect(user).toMatchObject({ appMetadata: { better_auth_id: known.id } })
    expect(user.identities.map(({ provider }) => provider).sort()).toEqual(['email', 'google'])
    await expect(signIn(ada.email, 'correct horsE')).rejects.toThrow()
  })
})

describe('users of Auth.js', () => {
  it('sign in with the bcrypt of the application', async () => {
    // The tables as the adapter's documentation has them, and the column of an application.
    await pool.query(`
      create table users (id serial primary key, name text, email text, "emailVerified" timestamptz, image text, password text);
      create table accounts (id serial primary key, "userId" integer, type text, provider text, "providerAccountId" text)`)
    await pool.query(
      `insert into users (name, email, "emailVerified", password) values ('Bo', 'bo@authjs.test', now(), $1)`,
      [await bcryptHash('correct horse', 4)],
    )
    await pool.query(
      `insert into accounts ("userId", type, provider, "providerAccountId") values (1, 'oidc', 'microsoft-entra-id', '77')`,
    )

    expect(await moveIn('Auth.js')).toMatchObject({ code: 0 })
    const { user } = await signIn('bo@authjs.test', 'correct horse')

    expect(user.identities.map(({ provider }) => provider)).toContain('azure')
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
