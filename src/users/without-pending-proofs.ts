import type { User } from './user.ts'

/** An account for which nothing counts as sent: what was, before a change of password, opens nothing. */
export const withoutPendingProofs = (user: User): User => ({
  ...user,
  confirmationSentAt: null,
  recoverySentAt: null,
  emailChangeSentAt: null,
  phoneChangeSentAt: null,
  reauthenticationSentAt: null,
})
