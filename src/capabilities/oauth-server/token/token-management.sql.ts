import type { ActRows } from '../../../accounts/acts/record-act.ts'
import type { SessionRow } from '../../../accounts/sessions/session.ts'
import {
  byEndingRules,
  type EndingValues,
  endingValues,
  tokenEndingExpression,
  withRuleNames,
} from '../../../accounts/sessions/session-ending.sql.ts'
import type { SessionLimits } from '../../../accounts/sessions/session-limits.ts'
import { deleteSessionsWhere, endedColumns } from '../../../accounts/sessions/sessions.sql.ts'
import type { Queryable } from '../../../platform/sql/queryable.ts'
import { statement } from '../../../platform/sql/statement.ts'
import type { RowsExpression } from '../../../platform/sql/tables.ts'
import {
  type ClientValues,
  type PresentedClient,
  presentedClient,
} from '../clients/client-credentials.ts'

/** A session as its client sees it. */
export interface IntrospectedSession {
  client: PresentedClient
  /** Null where the client has no such session. */
  session: SessionRow | null
  /** The reason why the session has ended; null while it is live. */
  ending: string | null
}

type FindParameters = { client: ClientValues; sessionId: string | null; ending: EndingValues }

const findWith = byEndingRules((rules) =>
  statement<FindParameters, { found: IntrospectedSession }>(
    withRuleNames('introspect_oauth_session', rules),
    (sql, $) => `
    with ${presentedClient(sql, $.client)}
    select json_build_object('client', row_to_json(client), 'session', row_to_json(s),
      'ending', ${tokenEndingExpression(sql, rules, $.ending, $.sessionId)}) as found
    from client left join ${sql.table('sessions')} s
      on s.id = ${$.sessionId} and s.oauth_client_id = client.id
    left join ${sql.table('users')} u on u.id = s.user_id`,
  ),
)

/** Authenticates a client, and finds one of its sessions. */
export async function introspectSession(
  sql: Queryable,
  { limits, ...values }: { client: ClientValues; sessionId: string | null; limits: SessionLimits },
): Promise<IntrospectedSession> {
  const [row] = await sql.query(findWith(limits), { ...values, ending: endingValues(limits) })
  if (!row) throw new Error('the introspection returned no row')
  return row.found
}

interface RevokedSession {
  client: PresentedClient
  /** The user whose session ended; null where none did. */
  userId: string | null
}

const revoke = statement<
  ActRows & { client: ClientValues; sessionId: string | null },
  RevokedSession
>(
  'revoke_oauth_session',
  (sql, $) => `
    with ${presentedClient(sql, $.client)}, ended as (
      ${deleteSessionsWhere(
        sql,
        `client.is_authenticated and s.id = ${$.sessionId}::uuid and s.oauth_client_id = client.id`,
        ['client'],
      )}
      returning ${endedColumns('s.')}
    )${sql.sessionReports('ended')}, m as (
      ${sql.insertRows(
        'outbox_messages',
        `(select jsonb_set(${$.messageRows}::jsonb, '{0, recipient}', to_jsonb(user_id))
          from ended)` as RowsExpression<'outbox_messages'>,
      )}
    ), a as (
      ${sql.insertRows(
        'audit_entries',
        `(select jsonb_set(${$.auditRows}::jsonb, '{0, actor_id}', to_jsonb(user_id))
          from ended)` as RowsExpression<'audit_entries'>,
      )}
    )
    select row_to_json(client) as client, (select user_id from ended) as "userId" from client`,
)

/** Authenticates a client, and ends one of its sessions. */
export async function revokeSession(
  sql: Queryable,
  values: ActRows & { client: ClientValues; sessionId: string | null },
): Promise<RevokedSession> {
  const [row] = await sql.query(revoke, values)
  if (!row) throw new Error('the revocation returned no row')
  return row
}
