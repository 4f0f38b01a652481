import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import type { OauthAuthorizationRow, OauthClientRow, OauthConsentRow } from './personal-oauth.ts'

/** A request that a user opened. */
export interface OpenedAuthorization {
  authorization: OauthAuthorizationRow
  client: OauthClientRow
  /** The consent of the user to this client; null without one. */
  consent: OauthConsentRow | null
  /** Whether no user had opened it before. */
  is_first: boolean
}

type OpenParameters = { key: string; userId: string; now: string }

const openBy = (column: string, condition: (key: string) => string) =>
  statement<OpenParameters, { opened: OpenedAuthorization }>(
    `open_oauth_authorization_by_${column}`,
    (sql, $) => `
    with r as materialized (
      select * from ${sql.table('oauth_authorizations')}
      where ${condition($.key)} and expires_at > ${$.now} and status <> 'pushed'
        and (user_id is null or user_id = ${$.userId})
      for update
    ), bound as (
      update ${sql.table('oauth_authorizations')} b set user_id = ${$.userId} from r
      where b.id = r.id and r.status = 'pending' and r.user_id is null
    )
    select json_build_object('authorization', row_to_json(r), 'client', row_to_json(c),
      'consent', row_to_json(g), 'is_first', r.user_id is null) as opened
    from r join ${sql.table('oauth_clients')} c on c.id = r.client_id
    left join ${sql.table('oauth_consents')} g on g.client_id = c.id and g.user_id = ${$.userId}`,
  )

const openById = openBy('id', (key) => `id = ${key}`)
const openByUserCode = openBy('user_code_hash', (key) => `user_code_hash = any(${key}::text[])`)

/**
 * Opens a request for a user. The first one to whom it is opened is the only one who can decide it.
 *
 * @returns null for an unknown or expired request, and for one of another user.
 */
export async function openAuthorization(
  sql: Queryable,
  by: { id: string } | { userCodeHashes: readonly string[] },
  { userId, now }: { userId: string; now: Date },
): Promise<OpenedAuthorization | null> {
  const values = { userId, now: now.toISOString() }
  const [row] =
    'id' in by
      ? await sql.query(openById, { ...values, key: by.id })
      : await sql.query(openByUserCode, { ...values, key: `{${by.userCodeHashes.join()}}` })
  return row?.opened ?? null
}
