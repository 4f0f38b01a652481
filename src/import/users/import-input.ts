import type { Rejection } from '../../platform/errors/rejection.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import { parseInstant } from '../../platform/kit/time-formats.ts'

/** A point in time: RFC 3339 text, such as `2021-03-04T05:06:07Z`, or a Date. */
export type InstantInput = Date | string

/**
 * A user to import. One of `email`, `phone` and `identities` is required; other members default to
 * the values of a new user.
 */
export interface UserToImport {
  /** A UUID. With it, a later run recognizes the user after any other change. */
  id?: string | undefined
  email?: string | undefined
  phone?: string | undefined
  /** Where the configuration enables user names. It may be a reserved one. */
  username?: string | undefined
  /** Default: the audience of the service. */
  audience?: string | undefined
  role?: string | undefined
  /** The stored hash: bcrypt, argon2 (PHC string format) or Firebase's scrypt. */
  passwordHash?: string | undefined
  /** Rejected: hashing a password takes longer than storing hundreds of users. */
  password?: undefined
  /** Confirms the address: now, unless the time is specified. */
  emailConfirm?: boolean | undefined
  phoneConfirm?: boolean | undefined
  emailConfirmedAt?: InstantInput | undefined
  phoneConfirmedAt?: InstantInput | undefined
  userMetadata?: Record<string, unknown> | undefined
  appMetadata?: Record<string, unknown> | undefined
  /** A duration from now, such as `24h`; `bannedUntil` specifies the time instead. */
  banDuration?: string | undefined
  bannedUntil?: InstantInput | undefined
  invitedAt?: InstantInput | undefined
  lastSignInAt?: InstantInput | undefined
  /** Default: now. */
  createdAt?: InstantInput | undefined
  /** Default: the time of creation. */
  updatedAt?: InstantInput | undefined
  /** Rejected: deleted users are not imported. */
  deletedAt?: InstantInput | undefined
  /** All identities of the user. Default: one for each address. */
  identities?: IdentityToImport[] | undefined
}

/** An account at a provider. */
export interface IdentityToImport {
  /** For example `github`. For `email` and `phone` the user needs such an address. */
  provider: string
  /**
   * The user's id at the provider; not used for `email` and `phone`, where it is the user's own id.
   */
  subject?: string | undefined
  /** The provider's profile of the user. */
  identityData?: Record<string, unknown> | undefined
  /** A UUID for its record. Default: random. */
  id?: string | undefined
  lastSignInAt?: InstantInput | undefined
  /**
   * The identity cannot be used for sign-in until the address of the account confirms it. Default:
   * not suspended.
   */
  suspendedAt?: InstantInput | undefined
  /** Default: the time of the user's creation. */
  createdAt?: InstantInput | undefined
  updatedAt?: InstantInput | undefined
}

/** The progress of an import. */
export interface ImportProgress {
  /** Stored; in a dry run, the number that would be. */
  imported: number
  /** Users that exist already; they were not changed. */
  alreadyThere: number
  refused: number
  /** Deleted unconfirmed accounts whose addresses belong to imported users. */
  signUpsReplaced: number
}

/** A record that was not stored, and the reason. */
export interface ImportRefusal extends Rejection {
  /** Its position among the records, from 0. */
  place: number
}

export interface ImportReport extends ImportProgress {
  /** The first thousand rejections. */
  refusals: ImportRefusal[]
}

export interface ImportUsersInput {
  /** Checks all records and stores none. */
  dryRun?: boolean | undefined
  /** Called after each batch: some hundred records. */
  onProgress?: ((progress: ImportProgress) => void) | undefined
  /** Called for each rejected record, in the order of the source. */
  onRefused?: ((rejection: ImportRefusal) => void) | undefined
}

/**
 * Reads a point in time; null if it is absent.
 *
 * @throws AuthError `validation_failed`, naming the field.
 */
export function readInstant(given: InstantInput | undefined, field: string): Date | null {
  if (!given) return null
  const at = parseInstant(typeof given === 'string' ? given : given.toISOString())
  if (at) return at
  throw validationFailed(`${field}: has to be a time such as 2021-03-04T05:06:07Z`)
}
