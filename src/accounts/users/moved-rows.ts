import { type Rows, rowsOf } from '../../platform/sql/tables.ts'
import type { UserWithPassword } from './find-user.sql.ts'
import { importedRegistration } from './registration.ts'
import { toRows } from './user-row.ts'

/** Returns the rows of users from another service. Each identity is contained once. */
export function rowsOfMoved(users: readonly UserWithPassword[]): {
  userRows: Rows<'users'>
  identityRows: Rows<'identities'>
} {
  const rows = users.map(({ user, passwordHash }) =>
    toRows(user, passwordHash, importedRegistration({ user, passwordHash })),
  )
  return {
    userRows: rowsOf('users', ...rows.map(({ row }) => row)),
    identityRows: rowsOf('identities', ...rows.flatMap(({ identities }) => identities)),
  }
}
