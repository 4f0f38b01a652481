import { memoize } from '../../platform/kit/memoize.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import type { Selection } from '../../platform/sql/tables.ts'
import type { FoundToken } from './find-by-link.sql.ts'

const findWith = memoize(<User>(user: Selection<User>) =>
  statement<{ id: string; now: string }, FoundToken<User>>(
    'find_live_one_time_token',
    (sql, $) => `
      select to_jsonb(t) as token, ${user(sql, 'u')}
      from ${sql.table('one_time_tokens')} t join ${sql.table('users')} u on u.id = t.user_id
      where t.id = ${$.id} and t.expires_at > ${$.now} and u.deleted_at is null`,
  ),
)

/** Returns a token as stored now, with its user; null once it is consumed, revoked or expired. */
export async function findLiveToken<User>(
  sql: Queryable,
  user: Selection<User>,
  { id, now }: { id: string; now: Date },
): Promise<FoundToken<User> | null> {
  const [found] = await sql.query(findWith(user), { id, now: now.toISOString() })
  return found ?? null
}
