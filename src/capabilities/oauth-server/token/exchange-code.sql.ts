import { deleteSurplusSessions } from '../../../accounts/sessions/delete-surplus-sessions.sql.ts'
import {
  byEndingRules,
  type EndingValues,
  endingValues,
  ruleExpression,
  withRuleNames,
} from '../../../accounts/sessions/session-ending.sql.ts'
import type { SessionCeiling, SessionLimits } from '../../../accounts/sessions/session-limits.ts'
import { deleteSessionsWhere, endedColumns } from '../../../accounts/sessions/sessions.sql.ts'
import { isBannedCondition } from '../../../accounts/users/ban.sql.ts'
import { type UserRow, userExpression } from '../../../accounts/users/user-row.ts'
import type { Queryable } from '../../../platform/sql/queryable.ts'
import { retryRolledBack } from '../../../platform/sql/retry.ts'
import { statement } from '../../../platform/sql/statement.ts'
import type { Rows, RowsExpression } from '../../../platform/sql/tables.ts'
import type { AuthorizationRequest } from '../authorize/authorization-request.ts'
import {
  type ClientValues,
  type PresentedClient,
  presentedClient,
} from '../clients/client-credentials.ts'
import { isRegisteredInSql } from '../clients/redirect-uris.ts'
import { hasPermittedScopesInSql } from '../clients/withdraw-scopes.sql.ts'
import { isPermittedResourceInSql } from './resources.sql.ts'

export interface CodeExchange {
  client: ClientValues
  codeHash: string
  /** Empty for a device, whose request has none. */
  codeChallenge: string
  /** Compared where the client states it. */
  redirectUri: string | null
  resource: string | null
  /** See {@link isPermittedResourceInSql}. */
  resources: string
  /**
   * The thumbprint of the key that the tokens are bound to. The refresh token of a client that
   * authenticates is not. @see RFC 9449 §5
   */
  keyThumbprint: string | null
  sessionId: string
  /** The row of the session, whose user and access only the statement knows. */
  sessionRows: Rows<'sessions'>
  sessionCeiling: SessionCeiling
  /** The limits of the session that consented. */
  limits: SessionLimits
  now: Date
  /** Stored with the user of the code as actor, and as recipient. */
  auditRows: Rows<'audit_entries'>
  messageRows: Rows<'outbox_messages'>
  /** Stored where a session ends because its code was used again. */
  replayAuditRows: Rows<'audit_entries'>
  replayMessageRows: Rows<'outbox_messages'>
}

export interface ExchangedCode {
  client: PresentedClient
  /** Null where the code was not exchanged. */
  exchanged: {
    user: UserRow
    clientId: string
    request: AuthorizationRequest
    authTime: string
  } | null
  /** The user whose session ended, since its code was used again; null for none. */
  replayedBy: string | null
}

type ExchangeParameters = Omit<CodeExchange, 'now' | 'limits'> & {
  now: string
  ending: EndingValues
}

interface Exchanged extends ExchangedCode {
  /** Whether the code waited for an exchange before the statement, which may have been another. */
  wasApproved: boolean
}

const exchange = byEndingRules((rules) =>
  statement<ExchangeParameters, { result: Exchanged }>(
    withRuleNames('exchange_oauth_code', rules),
    (sql, $) => `
    with ${presentedClient(sql, $.client)}, known as materialized (
      select r.client_id, r.session_id, r.user_id from ${sql.table('oauth_authorizations')} r
      where r.secret_hash = ${$.codeHash} and r.status = 'used'
    ), owner as materialized (
      select u.id from ${sql.table('users')} u join ${sql.table('oauth_authorizations')} r
        on r.user_id = u.id
      where r.secret_hash = ${$.codeHash} and r.status = 'approved'
      for no key update of u
    ), approver as materialized (
      select s.id from ${sql.table('sessions')} s join ${sql.table('oauth_authorizations')} r
        on s.id = r.session_id join owner on owner.id = s.user_id and owner.id = r.user_id
      where r.secret_hash = ${$.codeHash} and r.status = 'approved' and s.revoked_at is null
        and ${ruleExpression(sql, rules, $.ending)} is null
      for key share of s
    ), used as (
      update ${sql.table('oauth_authorizations')} r set status = 'used', session_id = ${$.sessionId}
      from client, owner
      where r.user_id = owner.id and r.secret_hash = ${$.codeHash} and r.status = 'approved' and r.expires_at > ${$.now}
        and client.is_authenticated and client.has_grant and r.client_id = client.id
        and (r.session_id is null or r.session_id in (select id from approver))
        and ${isRegisteredInSql(sql, 'r')} and ${hasPermittedScopesInSql(sql, 'r')}
        and coalesce(r.request ->> 'code_challenge', '') = ${$.codeChallenge}
        and (${$.redirectUri}::text is null or r.request ->> 'redirect_uri' = ${$.redirectUri})
        and (${$.resource}::text is null or r.request ->> 'resource' = ${$.resource})
        and ${isPermittedResourceInSql("r.request ->> 'resource'", $.resources)}
        and (r.request ->> 'dpop_jkt' is null or r.request ->> 'dpop_jkt' = ${$.keyThumbprint})
      returning r.user_id, r.client_id, r.request, r.auth_time
    ), u as (
      update ${sql.table('users')} u set version = u.version + 1 from used
      where u.id = used.user_id and u.deleted_at is null
        and not ${isBannedCondition('u', $.now)}
      returning u.id
    ), s as (
      ${sql.insertRows(
        'sessions',
        `(select jsonb_build_array((${$.sessionRows}::jsonb -> 0) || jsonb_build_object(
            'user_id', used.user_id, 'oauth_client_id', used.client_id,
            'scopes', used.request ->> 'scope', 'oauth_resource', used.request ->> 'resource',
            'oauth_key', case when ${$.client.method} = 'none' then ${$.keyThumbprint}::text end,
            'amr', jsonb_build_array((${$.sessionRows}::jsonb -> 0 -> 'amr' -> 0) || jsonb_build_object(
              'timestamp', floor(extract(epoch from used.auth_time))::bigint))))
          from used join u on u.id = used.user_id)` as RowsExpression<'sessions'>,
      )} returning user_id, oauth_client_id
    ), surplus as (
      ${deleteSurplusSessions(sql, 's', $.sessionCeiling)}
    ), kept as (
      update ${sql.table('oauth_clients')} c set expires_at = null from used
      where c.id = used.client_id and c.expires_at is not null
    ), replayed as (
      ${deleteSessionsWhere(
        sql,
        `client.is_authenticated and known.client_id = client.id and s.id = known.session_id
        and s.oauth_client_id = client.id`,
        ['known', 'client'],
      )}
      returning ${endedColumns('s.')}
    )${sql.sessionReports('replayed')}, m as (
      ${sql.insertRows(
        'outbox_messages',
        `(select jsonb_set(${$.messageRows}::jsonb, '{0, recipient}', to_jsonb(u.id)) from u)` as RowsExpression<'outbox_messages'>,
      )}
    ), a as (
      ${sql.insertRows(
        'audit_entries',
        `(select jsonb_set(${$.auditRows}::jsonb, '{0, actor_id}', to_jsonb(u.id)) from u)` as RowsExpression<'audit_entries'>,
      )}
    ), rm as (
      ${sql.insertRows(
        'outbox_messages',
        `(select jsonb_set(${$.replayMessageRows}::jsonb, '{0, recipient}', to_jsonb(user_id)) from replayed)` as RowsExpression<'outbox_messages'>,
      )}
    ), ra as (
      ${sql.insertRows(
        'audit_entries',
        `(select jsonb_set(${$.replayAuditRows}::jsonb, '{0, user_id}', to_jsonb(user_id)) from replayed)` as RowsExpression<'audit_entries'>,
      )}
    )
    select json_build_object('client', row_to_json(client), 'exchanged', (
        select json_build_object('user', ${userExpression(sql, 'x')}, 'clientId', used.client_id,
          'request', used.request, 'authTime', used.auth_time)
        from used join u on u.id = used.user_id join ${sql.table('users')} x on x.id = u.id),
      'replayedBy', (select user_id from replayed), 'wasApproved', exists (select from owner)) as result
    from client`,
  ),
)

/**
 * Authenticates a client, consumes its code and opens the session, in one statement: only one of
 * several requests with the same code succeeds. A code that is submitted with wrong values stays
 * valid; one that was used before ends the session that it was exchanged for.
 *
 * @see RFC 9700 §4.2.4, RFC 6749 §4.1.2
 */
export async function exchangeCodeForSession(
  sql: Queryable,
  { now, limits, ...given }: CodeExchange,
): Promise<ExchangedCode> {
  const values = { ...given, ending: endingValues(limits), now: now.toISOString() }
  // The user is locked before the session and the code, as by the acts that end them. The deletion of a client, which
  // locks no user, may wait for this statement, and this statement for it.
  const run = async (): Promise<Exchanged> => {
    const [row] = await retryRolledBack(() => sql.query(exchange(limits), values))
    if (!row) throw new Error('the exchange of a code returned no row')
    return row.result
  }
  const first = await run()
  const isDecided = first.exchanged !== null || first.replayedBy !== null
  // Another request may have used the code meanwhile, which only a further statement finds.
  return isDecided || !first.wasApproved ? first : run()
}
