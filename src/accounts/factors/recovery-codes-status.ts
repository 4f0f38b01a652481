/**
 * The number of a user's recovery codes. The codes themselves are shown once, when they are
 * generated.
 */
export interface RecoveryCodesStatus {
  /** The id of the set, which is one factor. An operator removes the set by it. */
  id: string
  /** The number of codes that were generated together. */
  total: number
  /** The number of unused codes. */
  remaining: number
}
