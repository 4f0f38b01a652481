// Policies in the database decide who sees which row.
// In a clone, after `npm install`: `npx node --conditions=latchkey-source examples/row-level-security.ts`
// From the package, with Node 22.18 or newer and `"type": "module"` in package.json: `npm install latchkey pg @electric-sql/pglite`,
// `cp -r node_modules/latchkey/examples/row-level-security.ts node_modules/latchkey/examples/support .`, `node row-level-security.ts`
import assert from 'node:assert/strict'
import { createAuth } from 'latchkey'
import { withDatabase } from './support/with-database.ts'

const auth = createAuth({
  development: true,
  // Left out: an embedded PostgreSQL, whose data is kept in `.latchkey/`.
  database: process.env.DATABASE_URL,
  // With a configured key `verifyToken` needs no query, even for the first token.
  jwt: { secret: 'only an example: yours comes from the environment' },
  // Confirms addresses without a mail.
  email: { autoconfirm: true },
  // This program opens no port, so the address of the mailbox is not logged.
  logger: false,
})

/** Signs a user up and returns the claims of the access token. */
async function signUp(name: string) {
  // A new address each time, so that the example can run again on the same data.
  const email = `${name}.${Date.now()}@example.com`
  const { session } = await auth.api.signUp({ email, password: 'correct horse' })
  return { email, claims: await auth.verifyToken(session?.accessToken ?? '') }
}

const ada = await signUp('ada')
const grace = await signUp('grace')
// Only one process can open the embedded database: this example continues without the service.
await auth.close()

await withDatabase(process.env.DATABASE_URL, async (database) => {
  await database.exec(`
    drop table if exists example_notes;
    drop role if exists example_visitor;

    -- Policies do not apply to superusers and the owner of the table: visitors have a role of their own.
    create role example_visitor nologin;
    create table example_notes (
      id serial primary key,
      owner uuid not null default auth.uid(),
      shared_with text,
      text text not null
    );
    grant select, insert on example_notes to example_visitor;
    grant usage on sequence example_notes_id_seq to example_visitor;

    alter table example_notes enable row level security;
    create policy own on example_notes using (owner = auth.uid());
    create policy shared on example_notes for select using (shared_with = auth.email());
    create policy signed_in on example_notes as restrictive
      using (auth.role() = 'authenticated' and auth.jwt() ->> 'is_anonymous' = 'false');
  `)

  /** Runs one statement as the subject of the claims; null: as a signed-out visitor. */
  async function queryAs(claims: object | null, text: string, values: unknown[] = []) {
    await database.exec('begin')
    try {
      // Both settings end with the transaction, so a pool can reuse the connection.
      await database.exec('set local role example_visitor')
      if (claims)
        await database.query(`select set_config('request.jwt.claims', $1, true)`, [
          JSON.stringify(claims),
        ])
      const rows = await database.query(text, values)
      await database.exec('commit')
      return rows
    } catch (error) {
      await database.exec('rollback')
      throw error
    }
  }

  const write = 'insert into example_notes (text, shared_with) values ($1, $2)'
  await queryAs(ada.claims, write, ['a note of Ada', null])
  await queryAs(ada.claims, write, ['a note of Ada for Grace', grace.email])
  await queryAs(grace.claims, write, ['a note of Grace', null])

  const read = async (claims: object | null) =>
    (await queryAs(claims, 'select text from example_notes order by id')).map(({ text }) => text)

  const seen = {
    ada: await read(ada.claims),
    grace: await read(grace.claims),
    signedOut: await read(null),
  }
  console.log('Ada sees:', seen.ada)
  console.log('Grace sees:', seen.grace)
  console.log('A signed-out visitor sees:', seen.signedOut)
  assert.deepEqual(seen, {
    ada: ['a note of Ada', 'a note of Ada for Grace'],
    grace: ['a note of Ada for Grace', 'a note of Grace'],
    signedOut: [],
  })

  const forge = 'insert into example_notes (text, owner) values ($1, $2)'
  await assert.rejects(
    queryAs(grace.claims, forge, ['signed: Ada', ada.claims.sub]),
    /row-level security/,
  )
  console.log('Grace cannot write in the name of Ada.')

  await database.exec('drop table example_notes; drop role example_visitor')
})
