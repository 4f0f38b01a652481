import type { AuthContext } from '../../accounts/auth-context.ts'
import {
  type EndingValues,
  endingExpression,
  endingValues,
} from '../../accounts/sessions/session-ending.sql.ts'
import { sessionLimits } from '../../accounts/sessions/session-limits.ts'
import { deleteSessionsWhere } from '../../accounts/sessions/sessions.sql.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { type Placeholders, statement } from '../../platform/sql/statement.ts'
import type { TableFragments } from '../../platform/sql/tables.ts'
import { ownerPairs, type PagesUser } from './owner.ts'

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
      ${deleteSessionsWhere(
        sql,
        `s.id = any(array(
        select session_id from ${sql.table('subscribe_page_keys')} where expires_at <= ${$.now}
        limit ${sweptAtOnce} for update skip locked))`,
      )}
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

/** The parameters of the conditions for a key. */
export type KeyCheck = EndingValues & { keyHash: string; adminRoles: string }

export function keyCheck({ clock, config }: AuthContext, keyHash: string): KeyCheck {
  // Owners of keys have no factor, so no session is too weak.
  const limits = { ...sessionLimits(config.sessions, clock.now()), weakSince: null }
  return { keyHash, adminRoles: JSON.stringify(config.jwt.adminRoles), ...endingValues(limits) }
}

/** Creates a statement for each value of the setting `singlePerUser`: see `EndingRules`. */
export const byRule = <Made>(make: (singlePerUser: boolean) => Made) => {
  const [one, any] = [make(true), make(false)]
  return ({ config }: AuthContext): Made => (config.sessions.singlePerUser ? one : any)
}

/**
 * Returns a query for the owner of a key, as `holder`. It has no row unless all conditions of the
 * log-in still hold: the key has not expired, its session has not ended, and the user exists, is an
 * operator, is not banned, and has no second factor, which a log-in by password does not verify.
 */
export const holderQuery = (
  sql: TableFragments,
  $: Placeholders<KeyCheck>,
  singlePerUser: boolean,
): string => `
  select json_build_object('userId', u.id, 'ownerId', o.id, ${ownerPairs('u')}) as holder
  from ${sql.table('subscribe_page_keys')} k
  join ${sql.table('sessions')} s on s.id = k.session_id
  join ${sql.table('users')} u on u.id = s.user_id
  left join ${sql.table('subscribe_page_owners')} o on o.user_id = u.id
  where k.key_hash = ${$.keyHash} and k.expires_at > ${$.now}
    and ${$.adminRoles}::jsonb ? u.role
    and not exists (
      select from ${sql.table('factors')} f where f.user_id = u.id and f.status = 'verified')
    and ${endingExpression(sql, { endsWeak: false, singlePerUser }, $)} is null`

const findFor = byRule((singlePerUser) =>
  statement<KeyCheck, { holder: PagesUser }>('find_key_holder', (sql, $) =>
    holderQuery(sql, $, singlePerUser),
  ),
)

/** Returns the owner of a key; null for an invalid key. */
export async function findKeyHolder(ctx: AuthContext, keyHash: string): Promise<PagesUser | null> {
  const [row] = await ctx.sql.query(findFor(ctx), keyCheck(ctx, keyHash))
  return row?.holder ?? null
}
