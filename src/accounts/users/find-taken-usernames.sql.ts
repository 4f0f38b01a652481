import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import type { User } from './user.ts'
import { usernameKey } from './username.ts'

const find = statement<{ users: string }, { id: string }>(
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
  const taken = await sql.query(find, { users: JSON.stringify(wanted) })
  return new Set(taken.map(({ id }) => id))
}
