import type { User } from './user.ts'

/** A request for a change of address. */
interface ChangeRequest {
  now: Date
  /** The newest proof of the requesting session where that is not recent; else null. */
  provedAt: Date | null
}

/** An account with an address that is to be its own once it is confirmed. */
export const withPendingEmail = (
  user: User,
  newEmail: string,
  { now, provedAt }: ChangeRequest,
): User => ({
  ...user,
  newEmail,
  changeProvedAt: user.newPhone === null ? provedAt : oldest(user.changeProvedAt, provedAt),
  emailChangeSentAt: now,
  emailChangeConfirmedBy: null,
})

/** The same with a phone number. */
export const withPendingPhone = (
  user: User,
  newPhone: string,
  { now, provedAt }: ChangeRequest,
): User => ({
  ...user,
  newPhone,
  changeProvedAt: user.newEmail === null ? provedAt : oldest(user.changeProvedAt, provedAt),
  phoneChangeSentAt: now,
})

const oldest = (one: Date | null, other: Date | null): Date | null =>
  one !== null && other !== null && other < one ? other : (one ?? other)

/** An account whose changes of address that were asked for are void. */
export const withoutPendingChanges = (user: User): User => ({
  ...user,
  newEmail: null,
  emailChangeSentAt: null,
  emailChangeConfirmedBy: null,
  newPhone: null,
  phoneChangeSentAt: null,
})

/** The same for columns of `users`. */
export const noPendingChanges = {
  new_email: null,
  email_change_sent_at: null,
  email_change_confirm_status: 0,
  new_phone: null,
  phone_change_sent_at: null,
} as const

/** An account for which nothing counts as sent: what was, before a change of password, opens nothing. */
export const withoutPendingProofs = (user: User): User => ({
  ...user,
  confirmationSentAt: null,
  recoverySentAt: null,
  emailChangeSentAt: null,
  phoneChangeSentAt: null,
  reauthenticationSentAt: null,
})
