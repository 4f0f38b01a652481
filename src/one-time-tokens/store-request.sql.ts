import type { Precondition, Queryable } from '../sql/queryable.ts'
import type { Rows } from '../sql/tables.ts'

/** When a user was last sent what, and what a change begins anew; what is left out stays as it is. */
export interface SentStamps {
  confirmation_sent_at?: string
  recovery_sent_at?: string
  reauthentication_sent_at?: string
  email_change_sent_at?: string
  phone_change_sent_at?: string
  invited_at?: string
}

/** A request for a message that is to be remembered with all that belongs to it. */
export interface RequestForMessage {
  /** Null for an address that nobody has: then only the audit entry is written. */
  userId: string | null
  /** Where given, token and message are stored only for the user as it was read: see `StoredUser`. */
  version?: number | null
  stamps: SentStamps
  /** What the request is for a user who only registered so far, as `users/registration.ts` says; null for none. */
  asks: { by: string; from: string | null } | null
  /**
   * Whether tokens go that clients asked for who cannot be told apart, as those of one client do anyway. They are
   * looked for on behalf of nobody, too: it takes time.
   */
  replacesUnknown: boolean
  /**
   * An expression for what registered the user, after such a request. The same for every caller: see
   * `entries`.
   */
  registration: (user: string, by: string, from: string) => string
  /** Rows as `rowsOf` makes them. */
  tokenRows: Rows<'one_time_tokens'>
  messageRows: Rows<'outbox_messages'>
  auditRows: Rows<'audit_entries'>
  /**
   * An expression for audit entries that name nobody who is gone, of those in `rows`; `changed` is one for
   * the id of the user, where the statement changes that. The same for every caller: the name of a
   * statement stands for one text.
   */
  entries: (rows: string, changed: string) => string
}

/**
 * Stores token, message and audit entry of a request, and when it was, in one statement.
 *
 * @returns the row of `spent`.
 */
export async function storeRequest<Spent>(
  sql: Queryable,
  condition: Precondition,
  request: RequestForMessage,
): Promise<Spent> {
  const first = condition.values.length + 1
  const [
    user = '',
    stamps,
    tokens = '',
    messages = '',
    audit = '',
    known,
    by = '',
    from = '',
    all,
  ] = [0, 1, 2, 3, 4, 5, 6, 7, 8].map((n) => `$${first + n}`)
  const changes = `(${stamps}::jsonb
    || jsonb_build_object('registered_by', ${request.registration('u', by, from)}))`
  const [spent] = await sql.query<Spent>({
    name: 'store_request',
    text: () => `
      with ${condition.expressions(sql)}, u as (
        update ${sql.table('users')} u set ${sql.setColumns('users', 'u', changes)}
        where u.id = ${user} and (${known}::int is null or u.version = ${known})
          and (select allowed from spent) returning u.id
      ), replaced as (
        delete from ${sql.table('one_time_tokens')} t
        where ${all} and t.user_id = ${user} and t.requested_from is null
          and (select count(*) from u where u.id = t.user_id) > 0
          and (t.purpose, t.requested_by) in (select r ->> 'purpose', r ->> 'requested_by'
            from jsonb_array_elements(${tokens}::jsonb) r)
      ), t as (
        ${sql.insertRows('one_time_tokens', tokens)} where exists (select from u)
        ${sql.overwrite('one_time_tokens', 'user_id, purpose, requested_from')}
      ), m as (
        ${sql.insertRows('outbox_messages', messages)} where exists (select from u)
      ), a as (
        ${sql.insertRows('audit_entries', request.entries(audit, '(select id from u)'))}
        where (select allowed from spent)
      )
      select * from spent`,
    values: [
      ...condition.values,
      request.userId,
      JSON.stringify(request.stamps),
      request.tokenRows,
      request.messageRows,
      request.auditRows,
      request.version ?? null,
      request.asks?.by ?? null,
      request.asks?.from ?? null,
      request.replacesUnknown,
    ],
  })
  if (!spent) throw new Error('a request was not stored')
  return spent
}
