import { deleteSessionsWhere, endedColumns } from '../../../accounts/sessions/sessions.sql.ts'
import type { Queryable } from '../../../platform/sql/queryable.ts'
import { retryRolledBack } from '../../../platform/sql/retry.ts'
import { statement } from '../../../platform/sql/statement.ts'
import type { TableFragments } from '../../../platform/sql/tables.ts'

/**
 * Returns a condition on a stored request: its client may still have its scopes. They were valid
 * when it was stored.
 */
export const hasPermittedScopesInSql = (sql: TableFragments, request: string): string =>
  `exists (select from ${sql.table('oauth_clients')} c
        where c.id = ${request}.client_id and (c.allowed_scopes is null
          or c.allowed_scopes @> to_jsonb(string_to_array(${request}.request ->> 'scope', ' '))))`

type Permitted = {
  clientId: string
  /** A JSON array of the scopes that the client may still have. */
  scopes: string
}

const arrayOf = (scopes: string): string =>
  `array(select jsonb_array_elements_text(${scopes}::jsonb))`

const deleteRequests = statement<Permitted>(
  'delete_oauth_requests_beyond_scopes',
  (sql, $) => `
    delete from ${sql.table('oauth_authorizations')}
    where client_id = ${$.clientId} and status <> 'used'
      and not string_to_array(request->>'scope', ' ') <@ ${arrayOf($.scopes)}`,
)

/**
 * Returns a statement that removes scopes from sessions, and ends those without any other.
 *
 * @param condition on the sessions `s` that lose some.
 * @param isKept a condition on a `scope`.
 */
const sessionsNarrowed = (sql: TableFragments, condition: string, isKept: string): string => `
    with narrowed as materialized (
      select s.id, (
        select string_agg(scope, ' ' order by place)
        from unnest(string_to_array(s.scopes, ' ')) with ordinality as each (scope, place)
        where ${isKept}
      ) as scopes
      from ${sql.table('sessions')} s where ${condition}
    ), ended as (
      ${deleteSessionsWhere(sql, 's.id = n.id and n.scopes is null', ['narrowed n'])}
      returning ${endedColumns('s.')}
    )${sql.sessionReports('ended')}
    update ${sql.table('sessions')} s set scopes = n.scopes
    from narrowed n where n.id = s.id and n.scopes is not null`

const narrowSessions = statement<Permitted>('narrow_oauth_sessions', (sql, $) =>
  sessionsNarrowed(
    sql,
    `s.oauth_client_id = ${$.clientId}
        and not string_to_array(s.scopes, ' ') <@ ${arrayOf($.scopes)}`,
    `scope = any(${arrayOf($.scopes)})`,
  ),
)

const narrowConsents = statement<Permitted>(
  'narrow_oauth_consents',
  (sql, $) => `
    with narrowed as materialized (
      select g.id, coalesce((
        select jsonb_agg(scope order by place)
        from jsonb_array_elements_text(g.scopes) with ordinality as each (scope, place)
        where scope = any(${arrayOf($.scopes)})
      ), (
        select '[]'::jsonb from ${sql.table('sessions')} s
        where s.user_id = g.user_id and s.oauth_client_id = g.client_id limit 1
      )) as scopes
      from ${sql.table('oauth_consents')} g
      where g.client_id = ${$.clientId} and not g.scopes <@ ${$.scopes}::jsonb
    ), ended as (
      delete from ${sql.table('oauth_consents')} g using narrowed n
      where g.id = n.id and n.scopes is null
    )
    update ${sql.table('oauth_consents')} g set scopes = n.scopes
    from narrowed n where n.id = g.id and n.scopes is not null`,
)

/**
 * Withdraws all other scopes from the grants of a client. Sessions and consents lose them, and end
 * where none is left; a consent stays while the client has a session, which its user ends by it.
 * Requests, and codes that were not exchanged, are deleted if they contain one. Access tokens keep
 * them until they expire.
 *
 * Requests are first: a concurrent exchange has then stored its session.
 *
 * @param scopes that the client may still have.
 */
export async function withdrawOtherScopes(
  sql: Queryable,
  clientId: string,
  scopes: readonly string[],
): Promise<void> {
  const permitted = { clientId, scopes: JSON.stringify(scopes) }
  for (const each of [deleteRequests, narrowSessions, narrowConsents]) {
    await retryRolledBack(() => sql.query(each, permitted))
  }
}

type Deselected = {
  userId: string
  clientId: string
  /** A JSON array of the scopes that the user deselected. */
  scopes: string
}

const deleteOwnRequests = statement<Deselected>(
  'delete_deselected_oauth_requests',
  (sql, $) => `
    delete from ${sql.table('oauth_authorizations')}
    where client_id = ${$.clientId} and user_id = ${$.userId} and status = 'approved'
      and string_to_array(request->>'scope', ' ') && ${arrayOf($.scopes)}`,
)

const narrowOwnSessions = statement<Deselected>('narrow_own_oauth_sessions', (sql, $) =>
  sessionsNarrowed(
    sql,
    `s.user_id = ${$.userId} and s.oauth_client_id = ${$.clientId}
        and string_to_array(s.scopes, ' ') && ${arrayOf($.scopes)}`,
    `scope <> all(${arrayOf($.scopes)})`,
  ),
)

/**
 * Withdraws scopes from the earlier grants of a user to a client, as {@link withdrawOtherScopes}
 * does. The user is locked, so that a concurrent exchange of a code waits, or has stored its
 * session.
 */
export async function withdrawDeselectedScopes(
  sql: Queryable,
  { scopes, ...grant }: { userId: string; clientId: string; scopes: readonly string[] },
): Promise<void> {
  if (scopes.length === 0) return
  const deselected = { ...grant, scopes: JSON.stringify(scopes) }
  await sql.query(deleteOwnRequests, deselected)
  await sql.query(narrowOwnSessions, deselected)
}
