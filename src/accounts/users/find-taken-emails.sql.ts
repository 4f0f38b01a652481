import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import { keepsAddressCondition } from './registration.ts'

const find = statement<{ userId: string; emails: string }, { email: string }>(
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
  const rows = await sql.query(find, { userId, emails: JSON.stringify(emails) })
  return rows.map(({ email }) => email)
}
