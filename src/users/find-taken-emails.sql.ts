import type { Queryable } from '../sql/queryable.ts'
import { statement } from '../sql/statement.ts'
import { keepsAddress } from './find-taken.sql.ts'

const find = statement<{ userId: string; emails: string }, { email: string }>(
  'find_taken_emails',
  (sql, $) => `
    select u.email from ${sql.table('users')} u
    where u.email = any(array(select jsonb_array_elements_text(${$.emails}::jsonb)))
      and u.id <> ${$.userId} and ${keepsAddress('u')}`,
)

/** Which of these addresses, in lower case, others than this user have who do not give way. */
export async function findTakenEmails(
  sql: Queryable,
  userId: string,
  emails: readonly string[],
): Promise<string[]> {
  const rows = await sql.query(find, { userId, emails: JSON.stringify(emails) })
  return rows.map(({ email }) => email)
}
