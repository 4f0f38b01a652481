import { deleteSessionsWhere } from '../../accounts/sessions/sessions.sql.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'

type Allowed = {
  clientId: string
  /** A JSON array of the scopes that the client may still have. */
  scopes: string
}

const allowedIn = (scopes: string): string =>
  `array(select jsonb_array_elements_text(${scopes}::jsonb))`

const deleteRequests = statement<Allowed>(
  'delete_oauth_requests_beyond_scopes',
  (sql, $) => `
    delete from ${sql.table('oauth_authorizations')}
    where client_id = ${$.clientId}
      and not string_to_array(request->>'scope', ' ') <@ ${allowedIn($.scopes)}`,
)

const narrowSessions = statement<Allowed>(
  'narrow_oauth_sessions',
  (sql, $) => `
    with narrowed as materialized (
      select s.id, (
        select string_agg(scope, ' ' order by place)
        from unnest(string_to_array(s.scopes, ' ')) with ordinality as each (scope, place)
        where scope = any(${allowedIn($.scopes)})
      ) as scopes
      from ${sql.table('sessions')} s
      where s.oauth_client_id = ${$.clientId}
        and not string_to_array(s.scopes, ' ') <@ ${allowedIn($.scopes)}
    ), ended as (
      ${deleteSessionsWhere(sql, 's.id = n.id and n.scopes is null', ['narrowed n'])}
    )
    update ${sql.table('sessions')} s set scopes = n.scopes
    from narrowed n where n.id = s.id and n.scopes is not null`,
)

/**
 * Withdraws scopes from all grants of a client: sessions lose them, and end where none is left.
 * Requests and codes that contain them are deleted. Access tokens keep them until they expire.
 *
 * The requests are first: an exchange that has taken its code has then stored its session.
 *
 * @param scopes that the client may still have.
 */
export async function withdrawScopes(
  sql: Queryable,
  clientId: string,
  scopes: readonly string[],
): Promise<void> {
  const allowed = { clientId, scopes: JSON.stringify(scopes) }
  await sql.query(deleteRequests, allowed)
  await sql.query(narrowSessions, allowed)
}
