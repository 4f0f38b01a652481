import type { Queryable } from '../../platform/sql/queryable.ts'
import { type Placeholders, statement } from '../../platform/sql/statement.ts'
import type { Rows, TableFragments } from '../../platform/sql/tables.ts'

/** Where a look at all anonymous users has got to: they are looked at in the order in which they came. */
export interface AnonymousUsersCursor {
  createdAt: string
  id: string
}

/** Who is stale: nothing was heard of them since `idleSince`, and there is nothing that they could come back by. */
export interface Staleness {
  idleSince: Date
  now: Date
}

/** Some of the anonymous users. */
export interface AnonymousUsersPage {
  staleIds: string[]
  /** Null where nobody is left. */
  next: AnonymousUsersCursor | null
}

type StalenessParameters = { idleSince: string; now: string }

/**
 * A condition on the user `u`. A session that was used, a change of the user, and an upgrade that may yet be confirmed
 * keep somebody; so do an address, an identity and a ban. Each is looked up by an index: of `not exists` the planner
 * might read whole tables, for the few users of a page.
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
    and (u.banned_until is null or u.banned_until < ${$.now})
    and ${none('identities', 'true')}
    and ${none('sessions', `coalesce(t.refreshed_at, t.created_at) >= ${$.idleSince}`)}
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

/** Looks at so many anonymous users at most who came before, the oldest first. */
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
    ), gone as (
      delete from ${sql.table('users')} u using stale where u.id = stale.id returning u.id
    ), a as (
      ${sql.insertRows('audit_entries', $.auditRows)} where user_id in (select id from gone)
    )
    select id from gone`,
)

/**
 * Removes those of these users who are stale still, with all that belongs to them. Who is changed at this moment is
 * passed over.
 *
 * @param auditRows entries as `rowsOf` makes them: those about users who are gone are written.
 * @returns who is gone.
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
