/** States that several files distinguish. @see PostgreSQL documentation, appendix A */
export const lockNotAvailable = '55P03'
const deadlockDetected = '40P01'

/** Whether other transactions hold a table, or wait for one that this transaction has locked. */
export const isLockConflict = (state: string): boolean =>
  state === lockNotAvailable || state === deadlockDetected
