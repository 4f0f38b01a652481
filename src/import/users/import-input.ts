import type { Refusal } from '../../platform/errors/refusal.ts'

/** A point in time: RFC 3339 text, such as `2021-03-04T05:06:07Z`, or a Date. */
export type InstantInput = Date | string

/**
 * A user who comes from elsewhere. Needed is one of `email`, `phone` and `identities`; the rest is as for
 * a new user where it is left out.
 */
export interface UserToImport {
  /** A UUID. With it, a later run knows the user again whatever else has changed. */
  id?: string | undefined
  email?: string | undefined
  phone?: string | undefined
  /** Default: the service's own. */
  audience?: string | undefined
  role?: string | undefined
  /** As the other service stored it: bcrypt, argon2 (PHC string format) or Firebase's scrypt. */
  passwordHash?: string | undefined
  /** Refused: to hash a password takes longer than to store hundreds of users. */
  password?: undefined
  /** Counts the address as proved: from now on, unless it is said since when. */
  emailConfirm?: boolean | undefined
  phoneConfirm?: boolean | undefined
  emailConfirmedAt?: InstantInput | undefined
  phoneConfirmedAt?: InstantInput | undefined
  userMetadata?: Record<string, unknown> | undefined
  appMetadata?: Record<string, unknown> | undefined
  /** A duration from now on, such as `24h`; `bannedUntil` says it as a time. */
  banDuration?: string | undefined
  bannedUntil?: InstantInput | undefined
  invitedAt?: InstantInput | undefined
  lastSignInAt?: InstantInput | undefined
  /** Default: now. */
  createdAt?: InstantInput | undefined
  /** Default: when it was created. */
  updatedAt?: InstantInput | undefined
  /** Refused: who was deleted is not brought back. */
  deletedAt?: InstantInput | undefined
  /** Exactly the identities of the user. Without any: one for each address. */
  identities?: IdentityToImport[] | undefined
}

/** An account at a provider. */
export interface IdentityToImport {
  /** `github`, say. For `email` and `phone` the user needs such an address. */
  provider: string
  /** The user's id there; of no account for `email` and `phone`, where it is the user's own. */
  subject?: string | undefined
  /** What the provider said about the user. */
  identityData?: Record<string, unknown> | undefined
  /** A UUID for the record of it. Default: random. */
  id?: string | undefined
  lastSignInAt?: InstantInput | undefined
  /** The identity signs nobody in until the address of the account confirms it. Default: it is not suspended. */
  suspendedAt?: InstantInput | undefined
  /** Default: when the user was created. */
  createdAt?: InstantInput | undefined
  updatedAt?: InstantInput | undefined
}

/** What becomes of an import, so far. */
export interface ImportProgress {
  /** Stored; in a dry run, what would be. */
  imported: number
  /** As in an earlier run, or by other ways: nothing of them was changed. */
  alreadyThere: number
  refused: number
  /** Sign-ups that nobody had proved, and whose addresses are of users who were imported: they are gone. */
  signUpsReplaced: number
}

/** A record that was not stored, and why. */
export interface ImportRefusal extends Refusal {
  /** Its position among the records, from 0. */
  place: number
}

export interface ImportReport extends ImportProgress {
  /** The first thousand. */
  refusals: ImportRefusal[]
}

export interface ImportUsersInput {
  /** Checks everything and stores nothing. Records that contradict each other are not noticed. */
  dryRun?: boolean | undefined
  /** Called after each batch: some hundred records. */
  onProgress?: ((progress: ImportProgress) => void) | undefined
  /** Called for each record that is refused, in the order of the source. */
  onRefused?: ((refusal: ImportRefusal) => void) | undefined
}
