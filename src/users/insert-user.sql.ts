import type { Queryable } from '../sql/queryable.ts'
import type { Rows } from '../sql/tables.ts'
import { rowsOf } from '../sql/tables.ts'
import type { Registration } from './registration.ts'
import type { User } from './user.ts'
import { toRows } from './user-row.ts'

export interface UserInsertion {
  user: User
  passwordHash: string | null
  /** Null for a user whom an operator makes, or whose address counts as proved. */
  registration: Registration | null
  /** Rows of a first session, a one-time token, its message, and audit entries: see `jsonRows`. */
  sessionRows?: Rows<'sessions'>
  tokenRows?: Rows<'one_time_tokens'>
  messageRows?: Rows<'outbox_messages'>
  auditRows: Rows<'audit_entries'>
}

const noRows = '[]'

/**
 * Stores a new user with identities and what comes with them, in one statement.
 *
 * @returns false when id, email or phone belongs to another user already; then nothing is stored.
 */
export async function insertUser(
  sql: Queryable,
  { user, passwordHash, registration, ...rows }: UserInsertion,
): Promise<boolean> {
  const { row, identities } = toRows(user, passwordHash, registration)
  const stored = await sql.query({
    name: 'insert_account',
    text: () => `
      with u as (
        ${sql.insertRows('users', '$1')} on conflict do nothing returning id
      ), i as (
        ${sql.insertRows('identities', '$2')} where exists (select from u)
      ), s as (
        ${sql.insertRows('sessions', '$3')} where exists (select from u)
      ), t as (
        ${sql.insertRows('one_time_tokens', '$4')} where exists (select from u)
      ), m as (
        ${sql.insertRows('outbox_messages', '$6')} where exists (select from u)
      ), a as (
        ${sql.insertRows('audit_entries', '$5')} where exists (select from u)
      )
      select id from u`,
    values: [
      rowsOf('users', row),
      rowsOf('identities', ...identities),
      rows.sessionRows ?? noRows,
      rows.tokenRows ?? noRows,
      rows.auditRows,
      rows.messageRows ?? noRows,
    ],
  })
  return stored.length > 0
}
