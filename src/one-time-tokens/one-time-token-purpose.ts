/**
 * What spending a token does. Sign-up and invitation share one purpose, recovery and magic link
 * another, so that a new message of either kind voids the old.
 */
export type OneTimeTokenPurpose =
  | 'confirmation'
  | 'recovery'
  | 'email_change_new'
  | 'email_change_current'
  | 'phone_change'
  | 'reauthentication'
