/**
 * What is recorded, with the number that stands for it in the database. Numbers are never used again
 * for something else.
 */
export const auditActions = {
  login: 1,
  logout: 2,
  user_signedup: 3,
  user_confirmation_requested: 4,
  user_repeated_signup: 5,
  user_modified: 6,
  user_updated_password: 7,
  token_refreshed: 8,
  failed_sign_in: 9,
  user_invited: 10,
  user_recovery_requested: 11,
  user_reauthenticate_requested: 12,
  user_deleted: 13,
  identity_linked: 14,
  identity_unlinked: 15,
  invite_accepted: 16,
  factor_in_progress: 20,
  challenge_created: 21,
  verification_attempted: 22,
  factor_unenrolled: 23,
  factor_deleted: 24,
  factor_updated: 25,
  passkey_created: 26,
  passkey_updated: 27,
  passkey_deleted: 28,
  recovery_codes_generated: 29,
  trusted_device_added: 40,
  trusted_device_used: 41,
  trusted_device_removed: 42,
} as const

export type AuditAction = keyof typeof auditActions

const names = new Map<number, AuditAction>(
  Object.entries(auditActions).map(([name, number]) => [number, name as AuditAction]),
)

/** Null for an action that only a newer version knows, which writes to the same database. */
export const actionOf = (number: number): AuditAction | null => names.get(number) ?? null
