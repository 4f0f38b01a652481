import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'

const mostIps = 1_000

const find = statement<{ userId: string }, { ip: string }>(
  'find_session_ips',
  (sql, $) => `
    select distinct host(ip) as ip from ${sql.table('sessions')}
    where user_id = ${$.userId} and ip is not null order by 1 limit ${mostIps}`,
)

/** Returns the addresses from which sessions of a user were last used, up to a maximum. */
export async function findSessionIps(sql: Queryable, userId: string): Promise<string[]> {
  return (await sql.query(find, { userId })).map(({ ip }) => ip)
}
