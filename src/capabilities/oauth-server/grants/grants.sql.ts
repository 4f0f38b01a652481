import type { ActRows } from '../../../accounts/acts/record-act.ts'
import {
  byEndingRules,
  type EndingValues,
  endingValues,
  ruleExpression,
  withRuleNames,
} from '../../../accounts/sessions/session-ending.sql.ts'
import type { SessionLimits } from '../../../accounts/sessions/session-limits.ts'
import { deleteSessionsOf, endedColumns } from '../../../accounts/sessions/sessions.sql.ts'
import type { Queryable } from '../../../platform/sql/queryable.ts'
import { statement } from '../../../platform/sql/statement.ts'
import type { OauthClientRow, OauthConsentRow } from '../personal-oauth.ts'

/** A consent with the displayed fields of its client. Keys and redirect URIs may be large. */
export interface FoundGrant {
  consent: OauthConsentRow
  /** The scopes of the client's live sessions. An earlier consent may have contained more. */
  scopes: string[]
  client: Pick<OauthClientRow, 'id' | 'client_name' | 'client_uri' | 'logo_uri'>
}

type FindParameters = { userId: string; ending: EndingValues }

const findWith = byEndingRules((rules) =>
  statement<FindParameters, { grant: FoundGrant }>(
    withRuleNames('find_oauth_grants', rules),
    (sql, $) => `
    select json_build_object('consent', row_to_json(g), 'scopes', coalesce((
        select json_agg(distinct scope) from ${sql.table('sessions')} s, unnest(string_to_array(s.scopes, ' ')) scope
        where s.user_id = g.user_id and s.oauth_client_id = g.client_id and s.revoked_at is null
          and ${ruleExpression(sql, rules, $.ending)} is null), '[]'), 'client', json_build_object('id', c.id,
      'client_name', c.client_name, 'client_uri', c.client_uri, 'logo_uri', c.logo_uri)) as grant
    from ${sql.table('oauth_consents')} g join ${sql.table('oauth_clients')} c on c.id = g.client_id
    where g.user_id = ${$.userId} order by g.granted_at desc, g.id`,
  ),
)

/** Returns the consents of a user, the newest first. */
export async function findGrants(
  sql: Queryable,
  userId: string,
  limits: SessionLimits,
): Promise<FoundGrant[]> {
  const rows = await sql.query(findWith(limits), { userId, ending: endingValues(limits) })
  return rows.map(({ grant }) => grant)
}

const revoke = statement<ActRows & { userId: string; clientId: string }>(
  'revoke_oauth_grant',
  (sql, $) => `
    with g as (
      delete from ${sql.table('oauth_consents')}
      where user_id = ${$.userId} and client_id = ${$.clientId} returning user_id as id
    ), s as (
      ${deleteSessionsOf(sql, 'g', `s.oauth_client_id = ${$.clientId}`)} returning ${endedColumns('s.')}
    )${sql.sessionReports('s')}, m as (
      ${sql.insertRows('outbox_messages', $.messageRows)} where exists (select from g)
    ), a as (
      ${sql.insertRows('audit_entries', $.auditRows)} where exists (select from g)
    )
    select id from g`,
)

/**
 * Deletes a consent with the codes that rest on it, and ends the sessions of the client for the
 * user.
 *
 * @returns whether there was a consent.
 */
export async function revokeGrant(
  sql: Queryable,
  grant: { userId: string; clientId: string },
  rows: ActRows,
): Promise<boolean> {
  const revoked = await sql.query(revoke, { ...grant, ...rows })
  return revoked.length > 0
}
