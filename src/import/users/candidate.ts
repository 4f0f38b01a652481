import type { UserWithPassword } from '../../accounts/users/find-user.sql.ts'

/** A record that can be stored unless it conflicts with another user. */
export interface Candidate extends UserWithPassword {
  place: number
  /** Whether the record contains its id. */
  isIdGiven: boolean
  /** Whether it contains the id of the row of an identity. */
  isIdentityIdGiven: boolean
}
