import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'

interface NewKey {
  keyHash: string
  /** The session of the log-in. */
  sessionId: string
  expiresAt: Date
  now: Date
}

type NewKeyParameters = Omit<NewKey, 'expiresAt' | 'now'> & { expiresAt: string; now: string }

/** The number of expired keys that a log-in deletes. */
const sweptAtOnce = 100

const store = statement<NewKeyParameters, { id: number }>(
  'store_subscribe_page_key',
  (sql, $) => `
    with live as (
      update ${sql.table('sessions')} set not_after = least(not_after, ${$.expiresAt})
      where id = ${$.sessionId} and revoked_at is null returning id
    ), expired as (
      delete from ${sql.table('sessions')} where id in (
        select session_id from ${sql.table('subscribe_page_keys')} where expires_at <= ${$.now}
        limit ${sweptAtOnce} for update skip locked)
    )
    insert into ${sql.table('subscribe_page_keys')} (key_hash, session_id, expires_at, created_at)
    select ${$.keyHash}::text, live.id, ${$.expiresAt}::timestamptz, ${$.now}::timestamptz from live
    returning id`,
)

/**
 * Stores a key. Its session expires with it, at the latest. Sessions of expired keys are deleted,
 * since they have become useless.
 *
 * @returns the id of the key; null if the session ended meanwhile.
 */
export async function storeKey(
  sql: Queryable,
  { expiresAt, now, ...key }: NewKey,
): Promise<number | null> {
  const instants = { expiresAt: expiresAt.toISOString(), now: now.toISOString() }
  const [row] = await sql.query(store, { ...key, ...instants })
  return row?.id ?? null
}

interface StoredKey {
  user_id: string
  session_id: string
}

const find = statement<{ id: number }, StoredKey>(
  'find_subscribe_page_key',
  (sql, $) => `
    select s.user_id, s.id as session_id
    from ${sql.table('subscribe_page_keys')} k join ${sql.table('sessions')} s on s.id = k.session_id
    where k.id = ${$.id}`,
)

/** Returns the user and the session of a key, expired or not. */
export async function findKey(sql: Queryable, id: number): Promise<StoredKey | null> {
  const [row] = await sql.query(find, { id })
  return row ?? null
}
