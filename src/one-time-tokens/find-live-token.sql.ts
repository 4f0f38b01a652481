import type { Queryable } from '../sql/queryable.ts'
import type { FoundToken } from './find-by-link.sql.ts'

/**
 * A token as it is now, with its user; null once it is spent, voided or past its time.
 *
 * @param user columns of the user, whose table has the alias `u`.
 */
export async function findLiveToken<User>(
  sql: Queryable,
  user: () => string,
  { id, now }: { id: string; now: Date },
): Promise<FoundToken<User> | null> {
  const [found] = await sql.query<FoundToken<User>>({
    name: 'find_live_one_time_token',
    text: () => `
      select to_jsonb(t) as token, ${user()}
      from ${sql.table('one_time_tokens')} t join ${sql.table('users')} u on u.id = t.user_id
      where t.id = $1 and t.expires_at > $2 and u.deleted_at is null`,
    values: [id, now.toISOString()],
  })
  return found ?? null
}
