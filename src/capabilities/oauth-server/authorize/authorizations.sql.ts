import { sha256Hex } from '../../../platform/kit/digest.ts'
import type { Queryable } from '../../../platform/sql/queryable.ts'
import { statement } from '../../../platform/sql/statement.ts'
import type { OauthAuthorizationRow, OauthClientRow, OauthConsentRow } from '../personal-oauth.ts'
import type { AuthorizationRequest } from './authorization-request.ts'

/** @see RFC 9126 §2.2 */
export const requestUriPrefix = 'urn:ietf:params:oauth:request_uri:'

/** Returns the hash under which a request URI is stored. */
export const hashOfRequestUri = (uri: string): string => sha256Hex(`oauth-request-uri:${uri}`)

/** Returns whether a request URI may be one of a pushed request. */
export const isPushed = (uri: string | undefined): uri is string =>
  uri?.startsWith(requestUriPrefix) ?? false

/** A pushed request that a browser submits. */
interface OpenedPush {
  id: string
  request: AuthorizationRequest
}

const open = statement<
  { secretHash: string; clientId: string; now: string; expiresAt: string },
  OpenedPush
>(
  'open_pushed_oauth_request',
  (sql, $) => `
    update ${sql.table('oauth_authorizations')} set status = 'pending', secret_hash = null,
      created_at = ${$.now}, expires_at = ${$.expiresAt}
    where secret_hash = ${$.secretHash} and client_id = ${$.clientId} and status = 'pushed'
      and expires_at > ${$.now}
    returning id, request`,
)

/** Consumes a request URI: only one of several requests with it succeeds. @see RFC 9126 §7.3 */
export async function openPushedRequest(
  sql: Queryable,
  push: { secretHash: string; clientId: string; now: Date; expiresAt: Date },
): Promise<OpenedPush | null> {
  const [opened] = await sql.query(open, {
    ...push,
    now: push.now.toISOString(),
    expiresAt: push.expiresAt.toISOString(),
  })
  return opened ?? null
}

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

interface Opening {
  column: string
  condition: (key: string) => string
  /** The requests that no user has opened, and that may be opened so, as a condition. */
  mayBind: string
}

const openBy = ({ column, condition, mayBind }: Opening) =>
  statement<OpenParameters, { opened: OpenedAuthorization }>(
    `open_oauth_authorization_by_${column}`,
    (sql, $) => `
    with r as materialized (
      select * from ${sql.table('oauth_authorizations')}
      where ${condition($.key)} and expires_at > ${$.now} and status <> 'pushed'
        and (${mayBind} or user_id = ${$.userId})
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

// A device's request is first opened by its code: the page of codes warns of those of attackers.
// @see RFC 8628 §5.4
const openById = openBy({
  column: 'id',
  condition: (key) => `id = ${key}`,
  mayBind: `(user_id is null and request -> 'interval' is null)`,
})
const openByUserCode = openBy({
  column: 'user_code_hash',
  condition: (key) => `user_code_hash = any(${key}::text[])`,
  mayBind: 'user_id is null',
})

/**
 * Opens a request for a user. The first one to whom it is opened is the only one who can decide it.
 *
 * @returns null for an unknown or expired request, for one of another user, and by id for that of a
 *   device whose code the user has not entered.
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

type Parameters = { authorizationId: string; now: string }

const reject = statement<Parameters, { request: AuthorizationRequest }>(
  'reject_silent_oauth_authorization',
  (sql, $) => `
    update ${sql.table('oauth_authorizations')} set status = 'denied', user_code_hash = null
    where id = ${$.authorizationId} and status = 'pending' and expires_at > ${$.now}
      and request -> 'prompt' ? 'none'
    returning request`,
)

/**
 * Rejects a pending request that permits no page.
 *
 * @returns its parameters; null for any other request.
 */
export async function rejectSilentAuthorization(
  sql: Queryable,
  { authorizationId, now }: { authorizationId: string; now: Date },
): Promise<AuthorizationRequest | null> {
  const [row] = await sql.query(reject, { authorizationId, now: now.toISOString() })
  return row?.request ?? null
}

const release = statement<Parameters & { userId: string }, { request: AuthorizationRequest }>(
  'release_oauth_authorization',
  (sql, $) => `
    update ${sql.table('oauth_authorizations')} set user_id = null
    where id = ${$.authorizationId} and user_id = ${$.userId}::uuid and status = 'pending'
      and expires_at > ${$.now}
    returning request`,
)

/**
 * Releases a pending request that a user opened, so that another user can open it.
 *
 * @returns its parameters; null where the user has opened no such request.
 */
export async function releaseOpenedAuthorization(
  sql: Queryable,
  { now, ...request }: { authorizationId: string; userId: string; now: Date },
): Promise<AuthorizationRequest | null> {
  const [row] = await sql.query(release, { ...request, now: now.toISOString() })
  return row?.request ?? null
}
