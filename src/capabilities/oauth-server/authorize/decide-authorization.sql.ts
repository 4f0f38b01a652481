import type { ActRows } from '../../../accounts/acts/record-act.ts'
import { deleteSessionsWhere, endedColumns } from '../../../accounts/sessions/sessions.sql.ts'
import type { Queryable } from '../../../platform/sql/queryable.ts'
import { retryRolledBack } from '../../../platform/sql/retry.ts'
import { type Placeholders, statement } from '../../../platform/sql/statement.ts'
import type { TableFragments } from '../../../platform/sql/tables.ts'
import { destinationInSql, isRegisteredInSql } from '../clients/redirect-uris.ts'
import { hasPermittedScopesInSql } from '../clients/withdraw-scopes.sql.ts'
import type { OauthAuthorizationRow, OauthConsentRow } from '../personal-oauth.ts'

/**
 * The maximum number of consents of a user. A further one replaces the oldest, and ends the
 * sessions of its client.
 */
export const maxConsents = 1_000

export interface ConsentDecision {
  authorizationId: string
  userId: string
  now: Date
}

/** A request as it was before the decision. */
export interface DecidedAuthorization {
  authorization: OauthAuthorizationRow
  /** Whether this decision took effect. */
  is_decided: boolean
}

type DecisionParameters = { authorizationId: string; userId: string; now: string }

/**
 * Returns the common table expression `r`, which locks a request that its user opened. One whose
 * redirect URI has been removed is unknown.
 */
const lockedRequest = (
  sql: TableFragments,
  $: Placeholders<DecisionParameters>,
  condition = 'true',
): string =>
  `r as materialized (
      select o.* from ${sql.table('oauth_authorizations')} o
      where o.id = ${$.authorizationId} and o.user_id = ${$.userId} and o.expires_at > ${$.now}
        and ${isRegisteredInSql(sql, 'o')} and ${hasPermittedScopesInSql(sql, 'o')} and ${condition}
      for update
    )`

/** Returns a condition on a request `r`: the session that consents is recent enough. */
const isSignInRecent = (authTime: string, now: string): string =>
  `(${authTime}::timestamptz > r.created_at or (
          (r.request -> 'prompt' @> '["login"]') is not true
          and (r.request -> 'max_age' is null or ${authTime}::timestamptz
            >= ${now}::timestamptz - make_interval(secs => (r.request ->> 'max_age')::float8))))`

type ApproveParameters = DecisionParameters &
  ActRows & {
    consentId: string
    /** The hash of the code, unless the client is a device, which already has one. */
    codeHash: string
    /** The granted scope, where the user deselected a part; null for the requested one. */
    scope: string | null
    authTime: string
    sessionId: string
    /** The number of the user's consents that stay beside the new one. */
    kept: number
  }

const approve = statement<ApproveParameters, { decided: DecidedAuthorization }>(
  'approve_oauth_authorization',
  (sql, $) => `
    with owner as materialized (
      select u.id from ${sql.table('users')} u
      where u.id = ${$.userId} and u.deleted_at is null for no key update
    ), approver as materialized (
      select s.id from ${sql.table('sessions')} s join owner on owner.id = s.user_id
      where s.id = ${$.sessionId} and s.revoked_at is null for key share of s
    ), ${lockedRequest(sql, $, 'exists (select from owner)')}, open as materialized (
      select r.*, coalesce(${$.scope}, r.request ->> 'scope') as granted from r, approver
      where r.status = 'pending' and ${isSignInRecent($.authTime, $.now)}
    ), changed as (
      update ${sql.table('users')} u set version = u.version + 1 from open where u.id = open.user_id
    ), surplus as (
      delete from ${sql.table('oauth_consents')} where id in (
        select o.id from ${sql.table('oauth_consents')} o, open
        where o.user_id = ${$.userId} and o.client_id <> open.client_id
        order by o.granted_at desc, o.id offset ${$.kept}::int)
      returning user_id, client_id
    ), ended as (
      ${deleteSessionsWhere(
        sql,
        's.user_id = surplus.user_id and s.oauth_client_id = surplus.client_id',
        ['surplus'],
      )} returning ${endedColumns('s.')}
    )${sql.sessionReports('ended')}, g as (
      insert into ${sql.table('oauth_consents')} as g
        (id, user_id, client_id, scopes, resources, granted_at, destinations)
      select ${$.consentId}, open.user_id, open.client_id,
        coalesce(to_jsonb(string_to_array(nullif(open.granted, ''), ' ')), '[]'),
        case when open.request ? 'resource'
          then jsonb_build_array(open.request -> 'resource') else '[]' end, ${$.now},
        case when open.request ? 'interval' then '[]'
          else jsonb_build_array(${destinationInSql("open.request ->> 'redirect_uri'")}) end
      from open
      on conflict (user_id, client_id) do update
        set scopes = excluded.scopes, resources = excluded.resources, granted_at = excluded.granted_at,
          destinations = case when g.scopes @> excluded.scopes and g.resources = excluded.resources
            then coalesce((select jsonb_agg(distinct one) from jsonb_array_elements(
              coalesce(g.destinations, '[]') || excluded.destinations) one), '[]')
            else excluded.destinations end
      returning id
    ), done as (
      update ${sql.table('oauth_authorizations')} d set status = 'approved',
        secret_hash = coalesce(d.secret_hash, ${$.codeHash}), user_code_hash = null,
        consent_id = (select id from g), auth_time = ${$.authTime}, session_id = ${$.sessionId},
        request = jsonb_set(d.request, '{scope}', to_jsonb(open.granted))
      from open where d.id = open.id returning d.id
    ), m as (
      ${sql.insertRows('outbox_messages', $.messageRows)} where exists (select from done)
    ), a as (
      ${sql.insertRows('audit_entries', $.auditRows)} where exists (select from done)
    )
    select json_build_object('authorization', row_to_json(r),
      'is_decided', exists (select from done)) as decided from r`,
)

/** An approval of a request by its user. */
export interface ConsentApproval extends ConsentDecision {
  consentId: string
  codeHash: string
  scope: string | null
  authTime: Date
  /** The session of the user. Its code is exchanged only until the session is ended or revoked. */
  sessionId: string
}

/**
 * Approves a request, and stores the consent and the hash of the code, while the session of the
 * user is live.
 *
 * It locks the user first and raises the version, so that acts that end consents include this
 * one. It locks the request before the client, whose deletion locks that first: both are repeated
 * after a deadlock.
 *
 * @returns null for an unknown or expired request, and for one that the user has not opened.
 */
export async function approveAuthorization(
  sql: Queryable,
  { now, authTime, ...approval }: ConsentApproval,
  rows: ActRows,
): Promise<DecidedAuthorization | null> {
  const values = {
    ...approval,
    ...rows,
    now: now.toISOString(),
    authTime: authTime.toISOString(),
    kept: maxConsents - 1,
  }
  const [row] = await retryRolledBack(() => sql.query(approve, values))
  return row?.decided ?? null
}

type RepeatParameters = DecisionParameters & {
  consentId: string
  /** The consent that was judged. The user may have replaced it, or an operator narrowed it. */
  grantedAt: string
  scopes: string
  codeHash: string
  authTime: string
  sessionId: string
}

const repeat = statement<RepeatParameters, { id: string }>(
  'approve_oauth_authorization_again',
  (sql, $) => `
    with ${lockedRequest(sql, $)}, g as materialized (
      select id from ${sql.table('oauth_consents')}
      where id = ${$.consentId} and user_id = ${$.userId}
        and granted_at = ${$.grantedAt}::timestamptz and scopes = ${$.scopes}::jsonb for share
    )
    update ${sql.table('oauth_authorizations')} d set status = 'approved',
      secret_hash = coalesce(d.secret_hash, ${$.codeHash}), user_code_hash = null,
      consent_id = g.id, auth_time = ${$.authTime}, session_id = ${$.sessionId}
    from r, g
    where d.id = r.id and r.status = 'pending' and ${isSignInRecent($.authTime, $.now)}
    returning d.id`,
)

/**
 * Approves a request by a consent that the user gave before, which stays as it is.
 *
 * @returns whether it took effect: not after a concurrent revocation, change or decision.
 */
export async function approveByConsent(
  sql: Queryable,
  {
    now,
    authTime,
    consent,
    ...approval
  }: Omit<ConsentApproval, 'scope' | 'consentId'> & { consent: OauthConsentRow },
): Promise<boolean> {
  const values = {
    ...approval,
    now: now.toISOString(),
    authTime: authTime.toISOString(),
    consentId: consent.id,
    grantedAt: consent.granted_at,
    scopes: JSON.stringify(consent.scopes),
  }
  const approved = await retryRolledBack(() => sql.query(repeat, values))
  return approved.length > 0
}

const deny = statement<DecisionParameters, { decided: DecidedAuthorization }>(
  'deny_oauth_authorization',
  (sql, $) => `
    with ${lockedRequest(sql, $)}, done as (
      update ${sql.table('oauth_authorizations')} d set status = 'denied', user_code_hash = null
      from r where d.id = r.id and r.status = 'pending' returning d.id
    )
    select json_build_object('authorization', row_to_json(r),
      'is_decided', exists (select from done)) as decided from r`,
)

/** Rejects a request. @returns null as {@link approveAuthorization}. */
export async function denyAuthorization(
  sql: Queryable,
  { now, ...decision }: ConsentDecision,
): Promise<DecidedAuthorization | null> {
  const [row] = await sql.query(deny, { ...decision, now: now.toISOString() })
  return row?.decided ?? null
}
