import { sha256Hex } from '../kit/digest.ts'
import type { Queryable } from '../sql/queryable.ts'
import type { OneTimeTokenPurpose } from './one-time-token-purpose.ts'
import type { OneTimeTokenRow } from './one-time-token-row.ts'

/** A token together with columns of its user. */
export type FoundToken<User> = User & { token: OneTimeTokenRow }

/**
 * The token that a link is for, with its user. To find it does not spend it.
 *
 * @param user columns of the user, whose table has the alias `u`.
 */
export async function findByLink<User>(
  sql: Queryable,
  user: () => string,
  {
    secret,
    purposes,
    now,
  }: { secret: string; purposes: readonly OneTimeTokenPurpose[]; now: Date },
): Promise<FoundToken<User> | null> {
  const [found] = await sql.query<FoundToken<User>>({
    name: 'find_one_time_token_by_link',
    text: () => `
      select to_jsonb(t) as token, ${user()}
      from ${sql.table('one_time_tokens')} t join ${sql.table('users')} u on u.id = t.user_id
      where t.token_hash = $1 and t.purpose = any($2::text[]) and t.expires_at > $3
        and u.deleted_at is null`,
    values: [sha256Hex(secret), `{${purposes.join()}}`, now.toISOString()],
  })
  return found ?? null
}
