import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import { type Rows, rowsOf, type TableFragments } from '../../platform/sql/tables.ts'
import type { SessionRow } from './session.ts'

export interface ImportedSessions {
  /** All sessions of these users at the other service that can be renewed. */
  rows: readonly SessionRow[]
  /** The tokens that renew them there. */
  tokens: readonly { sessionId: string; tokenHash: string }[]
  userIds: readonly string[]
  /** The users whose new sessions are stored, too, if they are not deleted meanwhile. */
  openedFor: readonly string[]
}

/** The numbers of opened and of ended sessions. */
export interface StoredSessions {
  opened: number
  ended: number
}

/**
 * Updates the imported sessions of users to their state at the other service. A session follows the
 * other service until it is renewed here: until then it has the other service's tokens, and ends
 * when it ends there. One that was renewed here is no longer changed, and one that ended here is
 * not opened again.
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

const findHashes = statement<{ hashes: string }, { token_hash: string }>(
  'find_imported_hashes',
  (sql, $) => `
    select token_hash from ${sql.table('imported_tokens')}
    where token_hash in (select jsonb_array_elements_text(${$.hashes}::jsonb))`,
  { unprepared: 'a plan from when the tables were empty would read all of them' },
)

/** Returns the stored forms of imported tokens that exist. */
export async function findImportedHashes(
  sql: Queryable,
  hashes: readonly string[],
): Promise<Set<string>> {
  if (hashes.length === 0) return new Set()
  const rows = await sql.query(findHashes, { hashes: JSON.stringify(hashes) })
  return new Set(rows.map(({ token_hash }) => token_hash))
}

/** The columns about the proof of a session, which may change at the other service. */
const proof = ['aal', 'amr', 'factor_id']

/**
 * All columns that follow the other service. The counter does not: it is 0 until the session is
 * renewed here.
 */
const followed = [...proof, 'refreshed_at', 'not_after', 'tag', 'ip', 'user_agent']

const listOf = (row: string): string => followed.map((column) => `${row}.${column}`).join(', ')

/** Returns the new state of the sessions. A factor that was removed here raises none again. */
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
 * Returns the sessions of a user that were not changed since the import. `offset 0` makes the
 * search run user by user: with its estimates for a table that is being filled, the planner would
 * read all sessions each time.
 */
const sessionsOfUser = (sql: TableFragments, userId: string): string => `
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
      cross join lateral (${sessionsOfUser(sql, 'given_users.id::uuid')}) s
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
