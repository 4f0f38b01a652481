import type { RecoveryCodesStatus } from './count-recovery-codes.sql.ts'

/** Builds the wire form of a user's recovery codes: their number, never the codes. */
export const presentRecoveryCodes = (codes: RecoveryCodesStatus) => ({
  id: codes.id,
  type: 'recovery_code',
  total: codes.total,
  remaining: codes.remaining,
})
