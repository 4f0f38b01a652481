import type { User } from '../../accounts/users/user.ts'
import type { KeyPageInput } from '../../platform/kit/key-page-input.ts'

/** A filter for users, and a position in the list. */
export interface ListUsersInput extends KeyPageInput {
  /**
   * A part of the email address, which is stored in lower case, or of `full_name` in the user's
   * metadata, in any letter case. `%` and `_` are wildcards.
   */
  filter?: string | undefined
  /**
   * The beginning of the email address. The users are then sorted by address, and found by index,
   * however many there are. Not permitted with `filter`.
   */
  emailPrefix?: string | undefined
  /**
   * The order by time of creation; default `desc`: the newest first. With `emailPrefix` by address;
   * default `asc`.
   */
  order?: 'asc' | 'desc' | undefined
  /** The audience. Default: that of the service. */
  audience?: string | undefined
  /** `estimated` adds `estimatedCount` to the result, at a cost that does not depend on it. */
  count?: 'estimated' | undefined
}

export interface ListedUsers {
  users: User[]
  /** The cursor of the next page; null after the last user. */
  nextCursor: string | null
  /**
   * With `count: 'estimated'`: the number of users on all pages. Exact up to 10,000 users without
   * `filter`; else an estimate of the database.
   */
  estimatedCount?: number | undefined
}
