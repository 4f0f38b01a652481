import type { Precondition, Queryable } from '../sql/queryable.ts'
import { type NewRow, type Rows, rowsOf } from '../sql/tables.ts'

/**
 * Stores a challenge with the message that takes its code to a phone, in one statement. The user is locked
 * first, as by whoever changes or erases one, so that neither waits for the other.
 *
 * @returns the row of `spent`, and whether there is still such a factor.
 */
export async function storeChallenge<Spent>(
  sql: Queryable,
  condition: Precondition,
  row: NewRow<'challenges'>,
  {
    userId,
    messageRows,
    auditRows,
  }: { userId: string; messageRows: Rows<'outbox_messages'>; auditRows: Rows<'audit_entries'> },
): Promise<Spent & { found: boolean }> {
  const first = condition.values.length + 1
  const [factor, user, now, challenges, messages, audit] = [0, 1, 2, 3, 4, 5].map(
    (n) => `$${first + n}`,
  )
  const [spent] = await sql.query<Spent & { found: boolean }>({
    name: 'store_challenge',
    text: () => `
      with ${condition.expressions(sql)}, u as materialized (
        select id from ${sql.table('users')} where id = ${user} for key share
      ), f as (
        update ${sql.table('factors')} f set last_challenged_at = ${now} from u
        where f.id = ${factor} and f.user_id = u.id and (select allowed from spent) returning f.id
      ), c as (
        ${sql.insertRows('challenges', challenges ?? '')} where exists (select from f)
      ), m as (
        ${sql.insertRows('outbox_messages', messages ?? '')} where exists (select from f)
      ), a as (
        ${sql.insertRows('audit_entries', audit ?? '')} where exists (select from f)
      )
      select spent.*, exists (select from f) as found from spent`,
    values: [
      ...condition.values,
      row.factor_id,
      userId,
      row.created_at,
      rowsOf('challenges', row),
      messageRows,
      auditRows,
    ],
  })
  if (!spent) throw new Error('a challenge was not stored')
  return spent
}
