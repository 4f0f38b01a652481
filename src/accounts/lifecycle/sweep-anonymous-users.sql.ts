import type { Queryable } from '../../platform/sql/queryable.ts'
import { type Placeholders, statement } from '../../platform/sql/statement.ts'
import type { Rows, TableFragments } from '../../platform/sql/tables.ts'
import { lastUseOf } from '../sessions/session-ending.sql.ts'
import { isBannedCondition } from '../users/ban.sql.ts'

/** The position in a scan of all anonymous users, in the order of their creation. */
export interface AnonymousUsersCursor {
  createdAt: string
  id: string
}

/**
 * The conditions of a stale user: inactive since `idleSince`, and without any way to sign in again.
 */
export interface Staleness {
  idleSince: Date
  now: Date
}

/** A page of the anonymous users. */
export interface AnonymousUsersPage {
  staleIds: string[]
  /** Null after the last page. */
  next: AnonymousUsersCursor | null
}

type StalenessParameters = { idleSince: string; now: string }

/**
 * Returns a condition: the user `u` is stale. A used session, a change of the user, and a pending
 * upgrade keep a user; so do an address, an identity and a ban. Each is looked up by an index: for
 * `not exists` the planner might read whole tables, for the few users of a page.
 */
const isStale = (
  sql: Pick<TableFragments, 'table'>,
  $: Placeholders<StalenessParameters>,
): string => {
  const none = (table: 'identities' | 'sessions' | 'one_time_tokens', condition: string) =>
    `(select true from ${sql.table(table)} t where t.user_id = u.id and ${condition} limit 1) is null`
  return `u.is_anonymous and u.created_at < ${$.idleSince} and u.updated_at < ${$.idleSince}
    and (u.last_sign_in_at is null or u.last_sign_in_at < ${$.idleSince})
    and u.email is null and u.phone is null and u.deleted_at is null
    and not ${isBannedCondition('u', $.now)}
    and ${none('identities', 'true')}
    and ${none('sessions', `${lastUseOf('t')} >= ${$.idleSince}`)}
    and ${none('one_time_tokens', `t.expires_at >= ${$.now}`)}
    and (select true from ${sql.table('oauth_states')} o
      where o.linking_user_id = u.id and o.expires_at >= ${$.now} limit 1) is null`
}

const findPage = statement<
  StalenessParameters & AnonymousUsersCursor & { limit: number },
  { id: string; created_at: string; is_stale: boolean }
>(
  'find_stale_anonymous_users',
  (sql, $) => `
    select u.id, u.created_at::text as created_at, ${isStale(sql, $)} as is_stale
    from ${sql.table('users')} u
    where u.is_anonymous and u.created_at < ${$.idleSince}
      and (u.created_at, u.id) > (${$.createdAt}, ${$.id})
    order by u.created_at, u.id limit ${$.limit}`,
)

/** Checks up to `limit` anonymous users from before `idleSince`, the oldest first. */
export async function findStaleAnonymousUsers(
  sql: Queryable,
  staleness: Staleness,
  { after, limit }: { after: AnonymousUsersCursor; limit: number },
): Promise<AnonymousUsersPage> {
  const rows = await sql.query(findPage, { ...toParameters(staleness), ...after, limit })
  const last = rows.length === limit ? rows.at(-1) : undefined
  return {
    staleIds: rows.filter(({ is_stale }) => is_stale).map(({ id }) => id),
    next: last ? { createdAt: last.created_at, id: last.id } : null,
  }
}

const deleteStale = statement<
  StalenessParameters & { ids: string; auditRows: Rows<'audit_entries'> },
  { id: string }
>(
  'delete_stale_anonymous_users',
  (sql, $) => `
    with stale as (
      select u.id from ${sql.table('users')} u
      where u.id = any(${$.ids}::uuid[]) and ${isStale(sql, $)} for update of u skip locked
    ), deleted as (
      delete from ${sql.table('users')} u using stale where u.id = stale.id returning u.id
    ), a as (
      ${sql.insertRows('audit_entries', $.auditRows)} where user_id in (select id from deleted)
    )
    select id from deleted`,
)

/**
 * Deletes those of these users that are still stale, with all their rows. A user with a concurrent
 * change is skipped.
 *
 * @param auditRows entries as rows from `rowsOf`: the entries about deleted users are stored.
 * @returns the ids of the deleted users.
 */
export async function deleteStaleAnonymousUsers(
  sql: Queryable,
  staleness: Staleness,
  { ids, auditRows }: { ids: readonly string[]; auditRows: Rows<'audit_entries'> },
): Promise<string[]> {
  const values = { ...toParameters(staleness), ids: `{${ids.join()}}`, auditRows }
  return (await sql.query(deleteStale, values)).map(({ id }) => id)
}

const toParameters = ({ idleSince, now }: Staleness): StalenessParameters => ({
  idleSince: idleSince.toISOString(),
  now: now.toISOString(),
})
