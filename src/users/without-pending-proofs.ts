import type { Account } from './account.ts'

/** An account for which nothing counts as sent: what was, before a change of password, opens nothing. */
export const withoutPendingProofs = (account: Account): Account => ({
  ...account,
  confirmationSentAt: null,
  recoverySentAt: null,
  emailChangeSentAt: null,
  phoneChangeSentAt: null,
  reauthenticationSentAt: null,
})
