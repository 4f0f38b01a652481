import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import { keepsAddressCondition } from './registration.ts'
import { emailExists, phoneExists } from './user-errors.ts'

/** Which of these addresses another account keeps. */
export interface TakenAddresses {
  email: boolean
  phone: boolean
}

const find = statement<{ email: string | null; phone: string | null }, TakenAddresses>(
  'find_taken',
  (sql, $) => `select
    exists (select from ${sql.table('users')} u
      where u.email = ${$.email} and ${keepsAddressCondition('u', 'email')}) as email,
    exists (select from ${sql.table('users')} u
      where u.phone = ${$.phone} and ${keepsAddressCondition('u', 'phone')}) as phone`,
)

export async function findTaken(
  sql: Queryable,
  { email, phone }: { email: string | null; phone: string | null },
): Promise<TakenAddresses> {
  const [row] = await sql.query(find, { email, phone })
  return row ?? { email: false, phone: false }
}

const findEmails = statement<{ userId: string; emails: string }, { email: string }>(
  'find_taken_emails',
  (sql, $) => `
    select u.email from ${sql.table('users')} u
    where u.email = any(array(select jsonb_array_elements_text(${$.emails}::jsonb)))
      and u.id <> ${$.userId} and ${keepsAddressCondition('u', 'email')}`,
)

/** Returns those of these addresses, in lower case, that another account keeps. */
export async function findTakenEmails(
  sql: Queryable,
  userId: string,
  emails: readonly string[],
): Promise<string[]> {
  const rows = await sql.query(findEmails, { userId, emails: JSON.stringify(emails) })
  return rows.map(({ email }) => email)
}

interface Addresses {
  email?: string | null | undefined
  phone?: string | null | undefined
}

/**
 * Rejects an address that another user has. The user's own addresses are accepted.
 *
 * @throws AuthError `email_exists`, `phone_exists` (422).
 */
export async function requireFreeAddresses(
  sql: Queryable,
  own: Addresses,
  wanted: Addresses,
): Promise<void> {
  const taken = await findTaken(sql, {
    email: wanted.email === own.email ? null : (wanted.email ?? null),
    phone: wanted.phone === own.phone ? null : (wanted.phone ?? null),
  })
  if (taken.email) throw emailExists()
  if (taken.phone) throw phoneExists()
}
