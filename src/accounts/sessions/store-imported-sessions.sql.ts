import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import { type Rows, rowsOf, type TableFragments } from '../../platform/sql/tables.ts'
import type { SessionRow } from './session.ts'

export interface ImportedSessions {
  /** All sessions that these users have at the other service and that can be renewed. */
  rows: readonly SessionRow[]
  /** The tokens that renew them there. */
  tokens: readonly { sessionId: string; tokenHash: string }[]
  userIds: readonly string[]
  /** The users whose new sessions are stored, too, if nobody deletes them meanwhile. */
  openedFor: readonly string[]
}

/** How many sessions came, and how many went. */
export interface StoredSessions {
  opened: number
  ended: number
}

/**
 * Brings the imported sessions of users to what they are at the other service. A session counts as
 * theirs until it was renewed here: until then its tokens follow theirs, and it ends when it does. One
 * that was renewed here is ours, and one that ended here is not opened again.
 */
export async function storeImportedSessions(
  sql: Queryable,
  { rows, tokens, userIds, openedFor }: ImportedSessions,
): Promise<StoredSessions> {
  const tokenRows = tokens.map(({ sessionId, tokenHash }) => ({
    session_id: sessionId,
    token_hash: tokenHash,
  }))
  const [stored] = await sql.query(store, {
    sessionRows: rowsOf('sessions', ...rows),
    tokenRows: rowsOf('imported_tokens', ...tokenRows),
    userIds: JSON.stringify(userIds),
    openedFor: JSON.stringify(openedFor),
  })
  return stored ?? { opened: 0, ended: 0 }
}

/** What may change there of how a session was proved. */
const proof = ['aal', 'amr', 'factor_id']

/** What else may; the counter begins at 0, which is where it is. */
const followed = [...proof, 'refreshed_at', 'not_after', 'tag', 'ip', 'user_agent']

const listOf = (row: string): string => followed.map((column) => `${row}.${column}`).join(', ')

/** What sessions are to be: a factor that was removed here raises none again. */
const targetText = (sql: TableFragments): string => `
  select g.id, ${followed
    .map((column) =>
      proof.includes(column)
        ? `case when p.holds then g.${column} else t.${column} end as ${column}`
        : `g.${column}`,
    )
    .join(', ')}
  from theirs t join given g on g.id = t.id cross join lateral (
    select t.aal = 'aal2' or g.aal <> 'aal2' or exists (
      select from ${sql.table('factors')} f where f.user_id = g.user_id and f.status = 'verified'
        and f.id = coalesce(g.factor_id, f.id)) as holds) p`

/**
 * Sessions of a user that are still as they were imported. `offset 0` has them looked for user by user:
 * what the planner believes of a table that is being filled would have it read all sessions each time.
 */
const theirSessions = (sql: TableFragments, userId: string): string => `
  select s.id, ${proof.map((column) => `s.${column}`).join(', ')} from ${sql.table('sessions')} s
  where s.user_id = ${userId} and s.refresh_token_counter = 0 and s.revoked_at is null
    and exists (select from ${sql.table('imported_sessions')} i where i.id = s.id)
  offset 0 for update of s`

type StoreParameters = {
  sessionRows: Rows<'sessions'>
  tokenRows: Rows<'imported_tokens'>
  userIds: string
  openedFor: string
}

const store = statement<StoreParameters, StoredSessions>(
  'store_imported_sessions',
  (sql, $) => {
    const [sessions, imported] = [sql.table('sessions'), sql.table('imported_sessions')]
    return `
    with given as (
      select * from jsonb_populate_recordset(null::${sessions}, ${$.sessionRows}::jsonb)
    ), given_tokens as (
      select * from jsonb_populate_recordset(null::${sql.table('imported_tokens')}, ${$.tokenRows}::jsonb)
    ), known as (
      select i.id from ${imported} i join given g on g.id = i.id
    ), theirs as (
      select s.* from jsonb_array_elements_text(${$.userIds}::jsonb) as given_users (id)
      cross join lateral (${theirSessions(sql, 'given_users.id::uuid')}) s
    ), ended as (
      delete from ${sessions} s using theirs t
      where s.id = t.id and s.id not in (select id from given) returning s.id
    ), target as (
      ${targetText(sql)}
    ), followed as (
      update ${sessions} s set (${followed.join(', ')}) = row(${listOf('t')})
      from target t where s.id = t.id and row(${listOf('s')}) is distinct from row(${listOf('t')})
    ), voided as (
      delete from ${sql.table('imported_tokens')} where token_hash in (select old.token_hash
        from theirs t join given g on g.id = t.id cross join lateral (
          select token_hash from ${sql.table('imported_tokens')} where session_id = t.id offset 0) old
        where old.token_hash not in (select token_hash from given_tokens))
    ), here as (
      select id from ${sql.table('users')}
      where id in (select id::uuid from jsonb_array_elements_text(${$.openedFor}::jsonb) as given_users (id))
      for key share
    ), opened as (
      ${sql.insertRows('sessions', $.sessionRows)}
      where id not in (select id from known)
        and user_id in (select id from here)
      on conflict do nothing returning id
    ), remembered as (
      insert into ${imported} (id) select id from opened
    ), held as (
      ${sql.insertRows('imported_tokens', $.tokenRows)}
      where session_id in (select id from opened union all
        select t.id from theirs t join given g on g.id = t.id)
      on conflict do nothing
    )
    select (select count(*)::int from opened) as opened, (select count(*)::int from ended) as ended`
  },
  { unprepared: 'a plan from when the tables were empty would read all of them' },
)
