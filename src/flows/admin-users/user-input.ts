/** What an operator may change of a user. */
export interface UserChanges {
  role?: string | undefined
  email?: string | undefined
  phone?: string | undefined
  password?: string | undefined
  /** Counts the address as proved. */
  emailConfirm?: boolean | undefined
  phoneConfirm?: boolean | undefined
  /** Merged into what the user has; null removes a key. So is `appMetadata`. */
  userMetadata?: Record<string, unknown> | undefined
  appMetadata?: Record<string, unknown> | undefined
  /** A duration such as `24h` or `1h30m`; `none` lifts a ban. */
  banDuration?: string | undefined
}

/** A new user. At least one of `email` and `phone` is given. */
export interface NewUser extends UserChanges {
  /** A UUID; random when left out. */
  id?: string | undefined
  /** Default: the service's own. */
  audience?: string | undefined
  /** The hash of a password that another service stored, instead of the password. */
  passwordHash?: string | undefined
}
