import type { User } from './user.ts'

/** An account with an address that is to be its own once it is confirmed. */
export const withPendingEmail = (user: User, newEmail: string, now: Date): User => ({
  ...user,
  newEmail,
  emailChangeSentAt: now,
  emailChangeConfirmedBy: null,
})

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

/** An expression for whether a one-time token, under the alias `t`, is for a change of address. */
export const isForChange = `t.purpose in ('email_change_new', 'email_change_current', 'phone_change')`

/** An account for which nothing counts as sent: what was, before a change of password, opens nothing. */
export const withoutPendingProofs = (user: User): User => ({
  ...user,
  confirmationSentAt: null,
  recoverySentAt: null,
  emailChangeSentAt: null,
  phoneChangeSentAt: null,
  reauthenticationSentAt: null,
})
