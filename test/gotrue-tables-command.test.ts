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

const latchkey = (...args: string[]) =>
  runCli(args, {
    ...environmentFor(database.url, {
      AUTH_DB_SCHEMA: 'latchkey',
      GOTRUE_DB_DATABASE_URL: database.url,
      GOTRUE_SECURITY_DB_ENCRYPTION_DECRYPTION_KEYS: columnKeys,
    }),
  })
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

  for (const { format } of await runMove()) await run(String(format))
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

/** Returns the statements that the page's statement prints: its only column has no common name. */
async function runMove(): Promise<Record<string, unknown>[]> {
  const text = documentedSql('move').trim().replace(/;$/, '')
  return run(`select * from (${text}) as statements (format)`)
}
