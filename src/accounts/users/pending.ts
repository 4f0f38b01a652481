import type { User } from './user.ts'

/** A request for a change of address. */
interface ChangeRequest {
  now: Date
  /** The newest proof of the requesting session where that is not recent; else null. */
  provedAt: Date | null
}

/** Returns an account with an address that becomes its own once it is confirmed. */
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

/** Returns an account with a phone number that becomes its own once it is confirmed. */
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

/** Returns an account without its pending changes of address. */
export const withoutPendingChanges = (user: User): User => ({
  ...user,
  newEmail: null,
  emailChangeSentAt: null,
  emailChangeConfirmedBy: null,
  newPhone: null,
  phoneChangeSentAt: null,
})

/** The columns of `users` without pending changes of address. */
export const noPendingChanges = {
  new_email: null,
  email_change_sent_at: null,
  email_change_confirm_status: 0,
  new_phone: null,
  phone_change_sent_at: null,
} as const

/**
 * Returns an account without the times of sent messages. After a change of password, earlier links
 * and codes are not accepted.
 */
export const withoutPendingProofs = (user: User): User => ({
  ...user,
  confirmationSentAt: null,
  recoverySentAt: null,
  emailChangeSentAt: null,
  phoneChangeSentAt: null,
  reauthenticationSentAt: null,
})
