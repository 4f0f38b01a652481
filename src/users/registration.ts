import { type Account, isConfirmed } from './account.ts'
import type { AccountWithPassword } from './find-account.sql.ts'

/**
 * Who brought what an account holds whose address nobody has proved yet. Accounts that an operator made
 * or invited have none: what they hold is the operator's, and stays with whoever proves the address.
 */
export interface Registration {
  /**
   * The request that counts: a sign-up with its password and metadata, or a request for a code, which
   * brought no password. `rivals` when requests of different clients compete: a proof then keeps nothing
   * of any of them.
   */
  by: 'signup' | 'otp' | 'rivals'
  /** The client it came from, as `requesterOf` tells clients apart; null where it cannot be told. */
  from: string | null
}

/** The columns of `users` that hold a registration. */
export interface RegistrationRow {
  registered_by: Registration['by'] | null
  registered_from: string | null
}

export const toRegistration = (row: RegistrationRow): Registration | null =>
  row.registered_by === null ? null : { by: row.registered_by, from: row.registered_from }

export const toRegistrationRow = (registration: Registration | null): RegistrationRow => ({
  registered_by: registration?.by ?? null,
  registered_from: registration?.from ?? null,
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
 * What registered a row of `users`, after another request for its address: an expression, so that of
 * many at once none is overlooked.
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
      then case when ${by}::text = 'otp' then 'otp' else ${user}.registered_by end
    when ${by}::text = 'resend' and ${from}::text is null and ${user}.registered_from is null
      then ${user}.registered_by
    else 'rivals' end`

/** A registration that another client's request, or what an operator gives, competes with; null stays null. */
export const contested = (registration: Registration | null): Registration | null =>
  registration && { ...registration, by: 'rivals' }

/** Whether a request may still decide what a proof of the address keeps. */
export const isUnclaimed = ({
  account,
  registration,
}: {
  account: Account
  registration: Registration | null
}): boolean => registration !== null && !isConfirmed(account)

/**
 * The registration of an account that comes from elsewhere. An address that was not proved there may have
 * been anybody's, so its password is not trusted more than that of a sign-up.
 */
export function registrationElsewhere({
  account,
  passwordHash,
}: AccountWithPassword): Registration | null {
  if (isConfirmed(account)) return null
  if (passwordHash !== null) return { by: 'signup', from: null }
  return account.invitedAt ? null : { by: 'otp', from: null }
}
