import type { User } from '../../accounts/users/user.ts'
import type { KeyPageInput } from '../../platform/kit/key-page-input.ts'

/** Which users are listed. */
export interface ListUsersInput extends KeyPageInput {
  /**
   * A part of the email address, which is stored in lower case, or in any letter case of `full_name` in
   * the user's metadata. `%` and `_` stand for anything.
   */
  filter?: string | undefined
  /**
   * How the email address begins: what somebody has typed of it. The users then come in the order of their
   * addresses, found by index among however many. Not together with `filter`.
   */
  emailPrefix?: string | undefined
  /**
   * By the time when they were made; default `desc`: the newest first. With `emailPrefix` by address;
   * default `asc`.
   */
  order?: 'asc' | 'desc' | undefined
  /** Default: the service's own. */
  audience?: string | undefined
}

export interface ListedUsers {
  users: User[]
  /** For the next page; null behind the last user. */
  nextCursor: string | null
}
