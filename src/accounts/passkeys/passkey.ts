/** A passkey of a user, without its key. */
export interface Passkey {
  id: string
  /** The name that the user gave it; `Passkey` by default. */
  friendlyName: string
  createdAt: Date
  /** The last sign-in with it; null before the first. */
  lastUsedAt: Date | null
  /**
   * The time since which it is rejected, until the account's address confirms it; null for one in
   * use.
   */
  suspendedAt: Date | null
}
