/** The SQL of docs/moving-in.md for tables of an application beside those of GoTrue. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runCli } from './support/cli-process.ts'
import type { TestDatabase } from './support/database.ts'
import { columnKeys, createSourceDatabase } from './support/gotrue/source-database.ts'
import { environmentFor } from './support/server-process.ts'
import { runSql } from './support/sql.ts'

const page = readFileSync(join(import.meta.dirname, '../docs/moving-in.md'), 'utf8')

function documentedSql(name: string): string {
  const [, sql] =
    new RegExp(`<!-- tables: ${name} -->\n\`\`\`sql\n([\\s\\S]*?)\`\`\``).exec(page) ?? []
  if (!sql) throw new Error(`docs/moving-in.md has no tables of ${name}`)
  return sql
}

const application = `
  create function auth.jwt() returns jsonb language sql stable
    as $$ select current_setting('request.jwt.claims', true)::jsonb $$;
  create function auth.uid() returns uuid language sql stable as $$ select (auth.jwt() ->> 'sub')::uuid $$;
  create table profiles (
    id uuid primary key references auth.users on delete cascade, full_name text, avatar_url text);
  create table notes (owner uuid default auth.uid() constraint "The Owner" references auth.users (id));
  alter table notes enable row level security;
  create policy "own notes" on notes using (owner = (select auth.uid())) with check (owner = auth.uid());
  create policy read on notes for select using (auth.jwt() ->> 'role' = 'editor');
  create view names as select id, raw_user_meta_data ->> 'full_name' as name from auth.users;
  create function is_editor() returns boolean language sql stable
    as $$ select auth.jwt() ->> 'role' = 'editor' $$;
  create function handle_new_user() returns trigger language plpgsql security definer as $$
    begin
      insert into public.profiles (id, full_name) values (new.id, new.raw_user_meta_data ->> 'full_name');
      return new;
    end $$;
  create trigger on_auth_user_created after insert on auth.users
    for each row execute function handle_new_user();
  insert into profiles (id) select id from auth.users;
  insert into notes select id from auth.users`

let database: TestDatabase

const ada = 'a0000000-0000-4000-8000-000000000001'
const bob = 'a0000000-0000-4000-8000-000000000002'

const runOn = ({ url }: TestDatabase, args: string[]) =>
  runCli(args, {
    ...environmentFor(url, {
      AUTH_DB_SCHEMA: 'latchkey',
      GOTRUE_DB_DATABASE_URL: url,
      GOTRUE_SECURITY_DB_ENCRYPTION_DECRYPTION_KEYS: columnKeys,
    }),
  })
const latchkey = (...args: string[]) => runOn(database, args)
const importInto = async (target: TestDatabase) =>
  expect(await runOn(target, ['import', 'gotrue'])).toMatchObject({ code: 0 })
const run = (sql: string) => runSql(database.url, sql)
const listed = async () =>
  (await run(documentedSql('list'))).map(({ type, identity }) => `${type}: ${identity}`)

beforeAll(async () => {
  database = await createSourceDatabase('layout.sql', 'people.sql')
  await run(application)
})
afterAll(() => database?.drop())

it('moves tables of an application to the users of Latchkey', async () => {
  expect(await latchkey('import', 'gotrue')).toMatchObject({ code: 0 })

  expect(await listed()).toEqual([
    'default value: for public.notes.owner',
    'policy: "own notes" on public.notes',
    'policy: read on public.notes',
    'rule: "_RETURN" on public.names',
    'table constraint: "The Owner" on public.notes',
    'table constraint: profiles_id_fkey on public.profiles',
    'text of function: is_editor()',
    'trigger: on_auth_user_created on auth.users',
  ])

  const before = await listed()
  await runPrinted('move')
  await runPrinted('back')
  expect(await listed()).toEqual(before)

  await runPrinted('move')
  await run(documentedSql('trigger'))
  expect(await listed()).toEqual([
    'rule: "_RETURN" on public.names',
    'text of function: is_editor()',
  ])

  await run('drop schema auth cascade')
  const created = await latchkey('admin', 'create-user', 'new@example.test')
  const profiles = await run(
    `select from profiles join latchkey.users u using (id) where u.email = 'new@example.test'`,
  )
  const policies = await run('select policyname from pg_policies order by 1')

  expect(created.code).toBe(0)
  expect(profiles).toHaveLength(1)
  expect(policies).toEqual([{ policyname: 'own notes' }, { policyname: 'read' }])
})

it('lists rows of users that Latchkey does not have, by their key', async () => {
  const other = await createSourceDatabase('layout.sql', 'people.sql')
  const here = (sql: string) => runSql(other.url, sql)
  await here(application)
  await importInto(other)
  await here(`delete from latchkey.users where id = '${ada}'`)

  const rows = []
  for (const query of await printed('orphans', here)) rows.push(...(await here(query)))

  expect(rows).toHaveLength(2)
  expect(rows).toEqual(
    expect.arrayContaining(
      ['The Owner', 'profiles_id_fkey'].map((key) => ({ key, user_id: ada, rows: '1' })),
    ),
  )
  await other.drop()
})

it('lists the users that differ before a return, and ends sessions that ended here', async () => {
  const other = await createSourceDatabase('layout.sql', 'people.sql')
  const here = (sql: string) => runSql(other.url, sql)
  await importInto(other)
  const none = await here(documentedSql('differing'))
  await here(`
    update latchkey.users set banned_until = '2999-01-01', updated_at = now() where id = '${bob}';
    delete from latchkey.users where id = '${ada}'`)
  const sessions = 'select id from auth.sessions where user_id = $1'.replace('$1', `'${ada}'`)
  const before = await here(sessions)

  const differing = await here(documentedSql('differing'))
  const others = await here(`select from auth.sessions where user_id = '${bob}'`)
  await here(documentedSql('ended'))

  expect(none).toEqual([])
  expect(differing.map(({ id, state }) => [id, state])).toEqual([
    [bob, 'changed'],
    [ada, 'deleted'],
  ])
  expect(before.length).toBeGreaterThan(0)
  expect((await here(sessions)).length).toBeLessThan(before.length)
  expect(await here(`select from auth.sessions where user_id = '${bob}'`)).toEqual(others)
  await other.drop()
})

/** Returns the statements that the page's statement prints: its only column has no common name. */
async function printed(name: string, execute = run): Promise<string[]> {
  const text = documentedSql(name).trim().replace(/;$/, '')
  const rows = await execute(`select * from (${text}) as statements (format)`)
  return rows.map(({ format }) => String(format))
}

async function runPrinted(name: string): Promise<void> {
  for (const statement of await printed(name)) await run(statement)
}
