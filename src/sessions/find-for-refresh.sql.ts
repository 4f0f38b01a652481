import { memoize } from '../kit/memoize.ts'
import type { Queryable } from '../sql/queryable.ts'
import { statement } from '../sql/statement.ts'
import type { Selection } from '../sql/tables.ts'
import { importedSession, type PresentedToken } from './rotate.sql.ts'
import type { SessionRow } from './session.ts'

interface RefreshableSession<User> {
  session: SessionRow
  user: User
}

const findWith = memoize(<User>(user: Selection<User>) => {
  const find = (isImported: boolean) =>
    statement<{ presented: string }, { found: RefreshableSession<User> }>(
      isImported ? 'find_imported_for_refresh' : 'find_for_refresh',
      (sql, $) => `
        select json_build_object('session', row_to_json(s), 'user', ${user(sql, 'u')}) as found
        from ${sql.table('sessions')} s join ${sql.table('users')} u on u.id = s.user_id
        where s.id = ${isImported ? importedSession(sql, $.presented) : $.presented}
          and s.revoked_at is null and u.deleted_at is null`,
    )
  return { own: find(false), imported: find(true) }
})

/**
 * The session that a refresh token is of, with its user, as they are before it is renewed; null for one that is not
 * there or was revoked. Whether the token renews it is for the rotation to say.
 */
export async function findForRefresh<User>(
  sql: Queryable,
  user: Selection<User>,
  token: PresentedToken,
): Promise<RefreshableSession<User> | null> {
  const { own, imported } = findWith(user)
  const [row] =
    'hashes' in token
      ? await sql.query(imported, { presented: JSON.stringify(token.hashes) })
      : await sql.query(own, { presented: token.sessionId })
  return row?.found ?? null
}
