import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import type { User } from './user.ts'
import { usernameExists } from './user-errors.ts'
import { usernameKey } from './username.ts'

const find = statement<{ audience: string; usernameKey: string }, { id: string }>(
  'find_username_holder',
  (sql, $) => `select id from ${sql.table('users')}
    where audience = ${$.audience} and username_key = ${$.usernameKey}`,
)

/**
 * Finds the user of an audience who holds a name that is the same or looks the same.
 *
 * @returns the id; null where the name is free.
 */
export async function findUsernameHolder(
  sql: Queryable,
  audience: string,
  username: string,
): Promise<string | null> {
  const [row] = await sql.query(find, { audience, usernameKey: usernameKey(username) })
  return row?.id ?? null
}

/**
 * Rejects a name that another user of the audience holds.
 *
 * @throws AuthError `username_exists` (422).
 */
export async function requireFreeUsername(
  sql: Queryable,
  { id, audience, username }: Pick<User, 'id' | 'audience' | 'username'>,
): Promise<void> {
  if (username === null) return
  const holder = await findUsernameHolder(sql, audience, username)
  if (holder !== null && holder !== id) throw usernameExists()
}
