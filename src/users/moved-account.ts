import { rowsOf } from '../sql/tables.ts'
import { toRows } from './account-row.ts'
import type { AccountWithPassword } from './find-account.sql.ts'
import { registrationElsewhere } from './registration.ts'

/** An account as another service had it. No identity of it is named twice. */
export interface MovedAccount extends AccountWithPassword {
  /** Whether others may have the same address. */
  isSsoUser?: boolean
}

/** The rows of many, as `rowsOf` makes them. */
export function rowsOfMoved(accounts: readonly MovedAccount[]): {
  users: string
  identities: string
} {
  const rows = accounts.map(({ account, passwordHash, isSsoUser = false }) => {
    const { user, identities } = toRows(
      account,
      passwordHash,
      registrationElsewhere({ account, passwordHash }),
    )
    return { user: { ...user, is_sso_user: isSsoUser }, identities }
  })
  return {
    users: rowsOf('users', ...rows.map(({ user }) => user)),
    identities: rowsOf('identities', ...rows.flatMap(({ identities }) => identities)),
  }
}
