import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import { noRows, type Rows, rowsOf } from '../../platform/sql/tables.ts'
import type { TokenRows } from '../../platform/sql/token-rows.ts'
import type { Approval } from './approval.ts'
import { contestedRows, contestHolders, releaseAddress } from './contest-holders.sql.ts'
import type { Registration } from './registration.ts'
import type { User } from './user.ts'
import { toRows } from './user-row.ts'

export interface UserInsertion {
  user: User
  approval: Approval
  passwordHash: string | null
  /** Null for a user that an operator creates, or whose address is confirmed. */
  registration: Registration | null
  /**
   * Rows from `rowsOf`: a first session or a code for one, tokens of a provider, a passkey, a
   * one-time token, its message, and audit entries.
   */
  sessionRows?: Rows<'sessions'>
  codeRows?: Rows<'authorization_codes'>
  providerTokenRows?: Rows<'provider_tokens'>
  passkeyRows?: Rows<'passkeys'>
  tokenRows?: TokenRows
  messageRows?: Rows<'outbox_messages'>
  auditRows: Rows<'audit_entries'>
}

type InsertParameters = {
  userRows: Rows<'users'>
  identityRows: Rows<'identities'>
  sessionRows: Rows<'sessions'>
  codeRows: Rows<'authorization_codes'>
  providerTokenRows: Rows<'provider_tokens'>
  passkeyRows: Rows<'passkeys'>
  tokenRows: Rows<'one_time_tokens'>
  messageRows: Rows<'outbox_messages'>
  auditRows: Rows<'audit_entries'>
}

/** Returns the proved addresses of new users: an unproved one releases nothing. */
const provedIn = (userRows: string, kind: 'email' | 'phone'): string =>
  `array(select r ->> '${kind}' from jsonb_array_elements(${userRows}::jsonb) r
    where r ->> '${kind}_confirmed_at' is not null)`

const insert = statement<InsertParameters>(
  'insert_user',
  (sql, $) => `
    with released_email as (
      ${releaseAddress(sql, 'email', `h.email = any(${provedIn($.userRows, 'email')})`)}
      returning h.id
    ), released_phone as (
      ${releaseAddress(sql, 'phone', `h.phone = any(${provedIn($.userRows, 'phone')})`)}
      returning h.id
    ), u as (
      ${sql.insertRows('users', contestedRows(sql, $.userRows))}
      -- To count them is to have released their addresses, which are unique.
      where (select count(*) from released_email) + (select count(*) from released_phone) is not null
      on conflict do nothing returning id
    ), contested as (
      ${contestHolders(sql, $.tokenRows, '(select id from u)')}
    ), i as (
      ${sql.insertRows('identities', $.identityRows)} where exists (select from u)
    ), s as (
      ${sql.insertRows('sessions', $.sessionRows)} where exists (select from u)
    ), c as (
      ${sql.insertRows('authorization_codes', $.codeRows)} where exists (select from u)
    ), p as (
      ${sql.insertRows('provider_tokens', $.providerTokenRows)} where exists (select from u)
    ), k as (
      ${sql.insertRows('passkeys', $.passkeyRows)} where exists (select from u)
    ), t as (
      ${sql.insertRows('one_time_tokens', $.tokenRows)} where exists (select from u)
      ${sql.overwrite('one_time_tokens', 'user_id, purpose, requested_from')}
    ), m as (
      ${sql.insertRows('outbox_messages', $.messageRows)} where exists (select from u)
    ), a as (
      ${sql.insertRows('audit_entries', $.auditRows)} where exists (select from u)
    )
    select id from u`,
)

/**
 * Stores a new user with the identities and the given rows, in one statement.
 *
 * @throws AuthError `conflict` (409) when another user has an identity or passkey already; then
 *   nothing is stored.
 * @returns false when another user has the id, email or phone already; then nothing is stored.
 */
export async function insertUser(
  sql: Queryable,
  { user, passwordHash, registration, ...rows }: UserInsertion,
): Promise<boolean> {
  const { row, identities } = toRows(user, passwordHash, registration)
  const stored = await sql.query(insert, {
    userRows: rowsOf('users', row),
    identityRows: rowsOf('identities', ...identities),
    sessionRows: rows.sessionRows ?? noRows,
    codeRows: rows.codeRows ?? noRows,
    providerTokenRows: rows.providerTokenRows ?? noRows,
    passkeyRows: rows.passkeyRows ?? noRows,
    tokenRows: rows.tokenRows ?? noRows,
    messageRows: rows.messageRows ?? noRows,
    auditRows: rows.auditRows,
  })
  return stored.length > 0
}
