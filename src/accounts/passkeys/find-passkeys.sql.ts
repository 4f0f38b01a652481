import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import type { Passkey } from './passkey.ts'
import { type ShownPasskey, shownPasskey, toPasskey } from './passkey-row.ts'

const find = statement<{ userId: string }, { passkey: ShownPasskey }>(
  'find_passkeys',
  (sql, $) => `
    select ${shownPasskey('p')} as passkey from ${sql.table('passkeys')} p
    where p.user_id = ${$.userId} order by p.created_at, p.id`,
)

/** Returns the passkeys of a user, the oldest first. */
export async function findPasskeys(sql: Queryable, userId: string): Promise<Passkey[]> {
  const rows = await sql.query(find, { userId })
  return rows.map(({ passkey }) => toPasskey(passkey))
}
