import type { KeyPageInput } from '../../kit/key-page-input.ts'
import type { Account } from '../../users/account.ts'

/** Which users are listed. */
export interface ListUsersInput extends KeyPageInput {
  /**
   * A part of the email address, which is stored in lower case, or in any letter case of `full_name` in
   * the user's metadata. `%` and `_` stand for anything.
   */
  filter?: string | undefined
  /** By the time when they were made. Default `desc`: the newest first. */
  order?: 'asc' | 'desc' | undefined
  /** Default: the service's own. */
  audience?: string | undefined
}

export interface ListedUsers {
  users: Account[]
  /** For the next page; null behind the last user. */
  nextCursor: string | null
}
