import { hasConfirmedAddress, type User } from './user.ts'

/**
 * The sign-up origin of an account whose address is not confirmed yet. Accounts that an operator
 * created or invited have none: their data is the operator's, and stays after a proof of the
 * address.
 */
export interface SignUpOrigin {
  /**
   * The request that counts: a sign-up with its password and metadata, or a request for a code or
   * an anonymous sign-in, which supplied no password. `contested` when requests of different
   * clients compete: a proof then keeps nothing of any of them.
   */
  by: 'signup' | 'otp' | 'contested'
  /**
   * The client of the request, as `requesterOf` identifies it; null where clients cannot be
   * distinguished. `operator` once an operator supplied data, `import` for an imported account:
   * neither is the client's alone.
   */
  from: string | null
  /**
   * The keys of the user's metadata that the request supplied. All other keys are an operator's.
   */
  keys: readonly string[]
}

/** The columns of `users` that store it. */
export interface SignUpOriginRow {
  registered_by: SignUpOrigin['by'] | null
  registered_from: string | null
  registered_keys: readonly string[] | null
}

export const toSignUpOrigin = (row: SignUpOriginRow): SignUpOrigin | null =>
  row.registered_by === null
    ? null
    : { by: row.registered_by, from: row.registered_from, keys: row.registered_keys ?? [] }

export const toSignUpOriginRow = (signUpOrigin: SignUpOrigin | null): SignUpOriginRow => ({
  registered_by: signUpOrigin?.by ?? null,
  registered_from: signUpOrigin?.from ?? null,
  registered_keys: signUpOrigin?.keys ?? null,
})

/** A request for an unconfirmed address. */
export interface AddressRequest {
  /** The kind of request. Only `signup` and `otp` supply a password or metadata. */
  by: AddressRequestKind
  from: string | null
}

/**
 * `change` is a change of address in a session, or by an operator's link; `provider` an external
 * sign-in whose provider has not verified the address.
 */
export type AddressRequestKind =
  | 'signup'
  | 'otp'
  | 'recover'
  | 'resend'
  | 'change'
  | 'provider'
  | 'invite'
  | 'reauthenticate'
  | 'credential'

/**
 * Returns whether two requests came from one client. A client that cannot be distinguished is never
 * the same as another.
 */
export const isSameClient = (one: string | null, other: string | null): boolean =>
  one !== null && one === other

/**
 * Returns the sign-up origin of an account after another request for its address. A client's own
 * next request replaces the earlier one where it supplies data; another client's competes. A client
 * that cannot be distinguished may request the message of such a client again.
 *
 * {@link signUpOriginAfterExpression} is the same rule in SQL; `sign-up-origin.test.ts` compares
 * both.
 */
export function signUpOriginAfter(
  { user, signUpOrigin }: UserWithOrigin,
  { by, from }: AddressRequest,
): SignUpOrigin | null {
  if (signUpOrigin === null || signUpOrigin.by === 'contested' || hasConfirmedAddress(user)) {
    return signUpOrigin
  }
  const isOwn = isSameClient(signUpOrigin.from, from)
  if (isOwn && (by === 'signup' || by === 'otp')) return { ...signUpOrigin, by }
  const isRequestedAgain = by === 'resend' && from === null && signUpOrigin.from === null
  return isOwn || isRequestedAgain ? signUpOrigin : contested(signUpOrigin)
}

/**
 * Returns {@link signUpOriginAfter} as an expression for `registered_by`, so that of many
 * concurrent requests none is overlooked.
 *
 * @param user the alias of the row.
 * @param by an expression for {@link AddressRequest.by}; null where there is no such request.
 * @param from an expression for {@link AddressRequest.from}.
 */
export const signUpOriginAfterExpression = (user: string, by: string, from: string): string =>
  `case
    when ${by}::text is null or ${user}.registered_by is null or ${user}.registered_by = 'contested'
      or ${user}.email_confirmed_at is not null or ${user}.phone_confirmed_at is not null
      then ${user}.registered_by
    when ${user}.registered_from = ${from}::text
      then case when ${by}::text in ('signup', 'otp') then ${by}::text else ${user}.registered_by end
    when ${by}::text = 'resend' and ${from}::text is null and ${user}.registered_from is null
      then ${user}.registered_by
    else 'contested' end`

/**
 * Returns whether a proof of the address by a message confirms the sign-up, which then keeps its
 * password. With an imported account no client of this service signed up, so no message is that of
 * its sign-up.
 *
 * @param requestedBy the request that the message belongs to.
 */
export const isConfirmedBy = (
  { by, from }: Pick<SignUpOrigin, 'by' | 'from'>,
  requestedBy: string,
): boolean => by === 'signup' && from !== 'import' && requestedBy === 'signup'

/** Returns a sign-up origin after its client supplied more metadata. */
export const withSuppliedKeys = (
  signUpOrigin: SignUpOrigin,
  supplied: Record<string, unknown>,
): SignUpOrigin => ({
  ...signUpOrigin,
  keys: [...new Set([...signUpOrigin.keys, ...Object.keys(supplied)])],
})

/** Returns a sign-up origin that another request competes with; null stays null. */
export const contested = (signUpOrigin: SignUpOrigin | null): SignUpOrigin | null =>
  signUpOrigin && { ...signUpOrigin, by: 'contested' }

/**
 * Returns a sign-up origin that competes with data of an operator. The account is no longer
 * reclaimable.
 *
 * @param given metadata whose keys are the operator's from now on.
 */
export const contestedByOperator = (
  signUpOrigin: SignUpOrigin | null,
  given: Record<string, unknown> = {},
): SignUpOrigin | null =>
  signUpOrigin && {
    by: 'contested',
    from: 'operator',
    keys: signUpOrigin.keys.filter((key) => !Object.hasOwn(given, key)),
  }

/** An account with its sign-up origin. */
export interface UserWithOrigin {
  user: Pick<User, 'emailConfirmedAt' | 'phoneConfirmedAt'>
  signUpOrigin: SignUpOrigin | null
}

/** Returns whether a request may still decide what a proof of the address keeps. */
export const isUnclaimed = ({ user, signUpOrigin }: UserWithOrigin): boolean =>
  signUpOrigin !== null && !hasConfirmedAddress(user)

/**
 * Returns whether a request of an audience reaches an account: one of the same audience, or an
 * unconfirmed one of any audience. An address belongs to one account over all audiences, so that a
 * sign-up in another audience would otherwise keep it from its owner. Only the confirmation decides
 * the audience.
 */
export const isInReach = (
  stored: UserWithOrigin & { user: Pick<User, 'audience'> },
  audience: string,
): boolean => stored.user.audience === audience || isUnclaimed(stored)

/**
 * Returns the sign-up origin of an imported account. An address that was not confirmed at the other
 * service may belong to another person, so its password is trusted no more than that of a sign-up.
 * Its metadata is the operator's.
 */
export function importedSignUpOrigin({
  user,
  passwordHash,
}: {
  user: Pick<User, 'emailConfirmedAt' | 'phoneConfirmedAt' | 'invitedAt'>
  passwordHash: string | null
}): SignUpOrigin | null {
  if (hasConfirmedAddress(user)) return null
  if (passwordHash !== null) return { by: 'signup', from: 'import', keys: [] }
  return user.invitedAt ? null : { by: 'otp', from: 'import', keys: [] }
}
