import { returnedBudget } from '../../limits/return-limits.sql.ts'
import { memoize } from '../../platform/kit/memoize.ts'
import type { Precondition, PreconditionText, Queryable } from '../../platform/sql/queryable.ts'
import { type ParameterValues, statement } from '../../platform/sql/statement.ts'
import type { Rows, RowsExpression } from '../../platform/sql/tables.ts'
import type { TokenRows } from '../../platform/sql/token-rows.ts'
import { withoutErasedUsers } from '../audit/audit-entries.sql.ts'
import { countOccurrences } from '../audit/audit-row.ts'
import { deleteSurplusTokens } from '../one-time-tokens/one-time-tokens.sql.ts'
import { contestAccounts } from '../users/competing-accounts.sql.ts'
import { signUpOriginAfterExpression } from '../users/sign-up-origin.ts'

/**
 * The times of a user's last messages, and values that a change resets. Absent columns stay
 * unchanged.
 */
export interface SentStamps {
  confirmation_sent_at?: string
  recovery_sent_at?: string
  reauthentication_sent_at?: string
  email_change_sent_at?: string
  phone_change_sent_at?: string
  invited_at?: string
}

/** A request for a message, with all rows to store. */
export interface RequestForMessage {
  /** Null for an address without a user: then only the audit entry is stored. */
  userId: string | null
  /**
   * Where given, token and message are stored only if the user still has this version: see
   * `StoredUser`.
   */
  version?: number | null
  stamps: SentStamps
  /**
   * The request as it counts for an unconfirmed user, as `accounts/users/sign-up-origin.ts` defines
   * it; null for none.
   */
  request: { by: string; from: string | null } | null
  /**
   * Whether tokens of requesters that cannot be distinguished are replaced, as the tokens of one
   * client always are. They are searched for without a user, too, because the search takes time.
   */
  replacesUnknown: boolean
  tokenRows: TokenRows
  /** Rows from `rowsOf`. */
  messageRows: Rows<'outbox_messages'>
  auditRows: Rows<'audit_entries'>
  /** The budget that is returned where no message is stored; null for none. */
  returnedKey: string | null
  returnedCount: number
}

/** The row of `spent`, and whether a message was stored. */
export type StoredRequest<Spent> = Spent & { has_message: boolean }

type RequestParameters = Pick<
  RequestForMessage,
  'userId' | 'tokenRows' | 'messageRows' | 'auditRows' | 'returnedKey' | 'returnedCount'
> & {
  condition: ParameterValues
  stamps: string
  version: number | null
  requestedBy: string | null
  requestedFrom: string | null
  replacesUnknown: boolean
}

const store = memoize(<Spent>(condition: PreconditionText<Spent>) =>
  statement<RequestParameters, StoredRequest<Spent>>('store_request', (sql, $) => {
    const entries = '(select rows from entries)' as RowsExpression<'audit_entries'>
    const changes = `(${$.stamps}::jsonb || jsonb_build_object('registered_by',
        ${signUpOriginAfterExpression('u', $.requestedBy, $.requestedFrom)}))`
    return `
      with ${condition(sql, $.condition)}, u as (
        update ${sql.table('users')} u set ${sql.setColumns('users', 'u', changes)}
        where u.id = ${$.userId} and (${$.version}::int is null or u.version = ${$.version})
          and (select allowed from spent) returning u.id
      ), contested as (
        ${contestAccounts(sql, $.tokenRows, '(select id from u)')}
      ), replaced as (
        delete from ${sql.table('one_time_tokens')} t
        where ${$.replacesUnknown} and t.user_id = ${$.userId} and t.requested_from is null
          and (select count(*) from u where u.id = t.user_id) > 0
          and (t.purpose, t.requested_by) in (select r ->> 'purpose', r ->> 'requested_by'
            from jsonb_array_elements(${$.tokenRows}::jsonb) r)
      ), surplus as (
        ${deleteSurplusTokens(sql, '(select id from u)', $.tokenRows)}
      ), t as (
        ${sql.insertRows('one_time_tokens', $.tokenRows)} where exists (select from u)
        ${sql.overwrite('one_time_tokens', 'user_id, purpose, requested_from')}
      ), m as (
        ${sql.insertRows('outbox_messages', $.messageRows)} where exists (select from u) returning 1
      ), returned as (
        ${returnedBudget(sql, $.returnedKey, $.returnedCount, 'not exists (select from m)')}
      ), entries as materialized (
        select ${withoutErasedUsers(sql, $.auditRows, '(select id from u)')} as rows
        where (select allowed from spent) and (select count(*) from returned) >= 0
      ), a as (
        -- A clause for conflicts adds a record to the write-ahead log for each row.
        ${sql.insertRows('audit_entries', entries)} where occurrences is null
      ), counted as (
        ${sql.insertRows('audit_entries', entries)} where occurrences is not null
        ${countOccurrences(sql)}
      )
      select spent.*, exists (select from m) as has_message from spent`
  }),
)

/**
 * Stores token, message, audit entry and time of a request, in one statement.
 *
 * @returns the row of `spent`, and whether a message was stored.
 */
export async function storeRequest<Spent>(
  sql: Queryable,
  condition: Precondition<Spent>,
  request: RequestForMessage,
): Promise<StoredRequest<Spent>> {
  const [spent] = await sql.query(store(condition.text), {
    condition: condition.values,
    userId: request.userId,
    version: request.version ?? null,
    stamps: JSON.stringify(request.stamps),
    requestedBy: request.request?.by ?? null,
    requestedFrom: request.request?.from ?? null,
    replacesUnknown: request.replacesUnknown,
    tokenRows: request.tokenRows,
    messageRows: request.messageRows,
    auditRows: request.auditRows,
    returnedKey: request.returnedKey,
    returnedCount: request.returnedCount,
  })
  if (!spent) throw new Error('a request was not stored')
  return spent
}
