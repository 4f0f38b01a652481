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
export async function findUsernameOwner(
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
  const holder = await findUsernameOwner(sql, audience, username)
  if (holder !== null && holder !== id) throw usernameExists()
}

const findTaken = statement<{ users: string }, { id: string }>(
  'find_taken_usernames',
  (sql, $) => `
    select given.id
    from jsonb_to_recordset(${$.users}::jsonb) as given (id uuid, audience text, username_key text)
    join ${sql.table('users')} u
      on u.audience = given.audience and u.username_key = given.username_key and u.id <> given.id`,
  { unprepared: 'how best to look for them depends on how many users there are' },
)

/**
 * Finds the users whose names other users hold. It runs no query where no user has a name.
 *
 * @returns their ids.
 */
export async function findTakenUsernames(
  sql: Queryable,
  users: readonly Pick<User, 'id' | 'audience' | 'username'>[],
): Promise<ReadonlySet<string>> {
  const wanted = users.flatMap(({ id, audience, username }) =>
    username === null ? [] : [{ id, audience, username_key: usernameKey(username) }],
  )
  if (wanted.length === 0) return new Set()
  const taken = await sql.query(findTaken, { users: JSON.stringify(wanted) })
  return new Set(taken.map(({ id }) => id))
}
