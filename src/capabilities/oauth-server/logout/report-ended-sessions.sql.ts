import type { TableFragments } from '../../../platform/sql/tables.ts'

/**
 * Returns a statement that stores a message for each ended session whose client has a URL for it.
 * The outbox delivers it. The body contains ids only, so that it needs no seal.
 *
 * @see OpenID Connect Back-Channel Logout 1.0 §2.5
 */
export const reportEndedSessions = (sql: TableFragments, sessions: string): string =>
  `insert into ${sql.table('outbox_messages')}
        (id, channel, kind, recipient, body, status, attempts, next_attempt_at, created_at)
      select ${timeOrderedUuid}, 'oauth_logout', 'oauth_logout', e.user_id::text,
        json_build_object('client_id', c.id, 'session_id', e.id, 'user_id', e.user_id)::text,
        'waiting', 0, 'epoch', now()
      from ${sessions} e join ${sql.table('oauth_clients')} c on c.id = e.oauth_client_id
      where c.backchannel_logout_uri is not null`

const milliseconds = `lpad(to_hex(floor(extract(epoch from now()) * 1000)::bigint), 12, '0')`

/** Identifiers of the outbox sort by time. @see RFC 9562 §5.7 */
const timeOrderedUuid = `(left(${milliseconds}, 8) || '-' || right(${milliseconds}, 4) || '-7'
          || substr(gen_random_uuid()::text, 16))::uuid`
