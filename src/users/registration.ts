import { isConfirmed, type User } from './user.ts'

/**
 * Who brought what an account holds whose address nobody has proved yet. Accounts that an operator made
 * or invited have none: what they hold is the operator's, and stays with whoever proves the address.
 */
export interface Registration {
  /**
   * The request that counts: a sign-up with its password and metadata, or a request for a code or an anonymous sign-in,
   * which brought no password. `rivals` when requests of different clients compete: a proof then keeps nothing
   * of any of them.
   */
  by: 'signup' | 'otp' | 'rivals'
  /**
   * The client it came from, as `requesterOf` tells clients apart; null where it cannot be told. `operator`
   * once an operator gave something to the account, `import` where it comes from elsewhere: such an account
   * is not the client's alone.
   */
  from: string | null
  /** The keys of the user's metadata that it brought. What is under others is an operator's. */
  keys: readonly string[]
}

/** The columns of `users` that hold a registration. */
export interface RegistrationRow {
  registered_by: Registration['by'] | null
  registered_from: string | null
  registered_keys: readonly string[] | null
}

export const toRegistration = (row: RegistrationRow): Registration | null =>
  row.registered_by === null
    ? null
    : { by: row.registered_by, from: row.registered_from, keys: row.registered_keys ?? [] }

export const toRegistrationRow = (registration: Registration | null): RegistrationRow => ({
  registered_by: registration?.by ?? null,
  registered_from: registration?.from ?? null,
  registered_keys: registration?.keys ?? null,
})

/** A request for an address that nobody has proved. */
export interface AddressRequest {
  /** What was asked for; `recover` and `resend` bring neither a password nor metadata. */
  by: 'signup' | 'otp' | 'recover' | 'resend'
  from: string | null
}

/** Whether two requests came from one client. One that cannot be told apart is always another one. */
export const isSameClient = (one: string | null, other: string | null): boolean =>
  one !== null && one === other

/**
 * What registered an account, after another request for its address. A client's own next request takes the place of
 * the earlier one where it brings something; another client's competes. One that cannot be told apart may ask again
 * for the message of one that cannot either.
 *
 * {@link registrationAfterExpression} says the same in SQL; `registration.test.ts` holds one against the other.
 */
export function registrationAfter(
  { user, registration }: RegisteredUser,
  { by, from }: AddressRequest,
): Registration | null {
  if (registration === null || registration.by === 'rivals' || isConfirmed(user)) {
    return registration
  }
  const isOwn = isSameClient(registration.from, from)
  if (isOwn && (by === 'signup' || by === 'otp')) return { ...registration, by }
  const isAskedAgain = by === 'resend' && from === null && registration.from === null
  return isOwn || isAskedAgain ? registration : contested(registration)
}

/**
 * {@link registrationAfter} as an expression for `registered_by`, so that of many requests at once none is
 * overlooked.
 *
 * @param user the alias of the row.
 * @param by an expression for {@link AddressRequest.by}; null where there is no such request.
 * @param from an expression for {@link AddressRequest.from}.
 */
export const registrationAfterExpression = (user: string, by: string, from: string): string =>
  `case
    when ${by}::text is null or ${user}.registered_by is null or ${user}.registered_by = 'rivals'
      or ${user}.email_confirmed_at is not null or ${user}.phone_confirmed_at is not null
      then ${user}.registered_by
    when ${user}.registered_from = ${from}::text
      then case when ${by}::text in ('signup', 'otp') then ${by}::text else ${user}.registered_by end
    when ${by}::text = 'resend' and ${from}::text is null and ${user}.registered_from is null
      then ${user}.registered_by
    else 'rivals' end`

/** A registration that another request competes with; null stays null. */
export const contested = (registration: Registration | null): Registration | null =>
  registration && { ...registration, by: 'rivals' }

/**
 * A registration that competes with what an operator gives. The account does not give way any more.
 *
 * @param given metadata: what it names is the operator's from now on.
 */
export const contestedByOperator = (
  registration: Registration | null,
  given: Record<string, unknown> = {},
): Registration | null =>
  registration && {
    by: 'rivals',
    from: 'operator',
    keys: registration.keys.filter((key) => !Object.hasOwn(given, key)),
  }

interface RegisteredUser {
  user: Pick<User, 'emailConfirmedAt' | 'phoneConfirmedAt'>
  registration: Registration | null
}

/** Whether a request may still decide what a proof of the address keeps. */
export const isUnclaimed = ({ user, registration }: RegisteredUser): boolean =>
  registration !== null && !isConfirmed(user)

/**
 * Whether an account keeps its address from nobody: all that it rests on is requests of clients who proved nothing.
 * It gives way to an operator, and to whoever proves the address. One that an operator has banned stays, or a ban could
 * be got rid of.
 */
export const givesWay = (
  stored: RegisteredUser & { user: Pick<User, 'bannedUntil' | 'isSsoUser'> },
): boolean =>
  isUnclaimed(stored) &&
  stored.user.bannedUntil === null &&
  !stored.user.isSsoUser &&
  !notClients.includes(stored.registration?.from ?? '')

const notClients = ['operator', 'import']

/** {@link givesWay} as a condition. `user` is the alias of the row. */
export const givesWayCondition = (user: string): string =>
  `(${user}.registered_by is not null and ${user}.email_confirmed_at is null
    and ${user}.phone_confirmed_at is null and ${user}.banned_until is null and not ${user}.is_sso_user
    and coalesce(${user}.registered_from, '') not in ('${notClients.join(`', '`)}'))`

/**
 * The registration of an account that comes from elsewhere. An address that was not proved there may have
 * been anybody's, so its password is not trusted more than that of a sign-up. Its metadata is the operator's.
 */
export function registrationElsewhere({
  user,
  passwordHash,
}: {
  user: Pick<User, 'emailConfirmedAt' | 'phoneConfirmedAt' | 'invitedAt'>
  passwordHash: string | null
}): Registration | null {
  if (isConfirmed(user)) return null
  if (passwordHash !== null) return { by: 'signup', from: 'import', keys: [] }
  return user.invitedAt ? null : { by: 'otp', from: 'import', keys: [] }
}
