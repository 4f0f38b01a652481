/** A passkey of a user, without its key. */
export interface Passkey {
  id: string
  /** What the user calls it; `Passkey` until they give it a name. */
  friendlyName: string
  createdAt: Date
  /** The last sign-in with it; null before the first. */
  lastUsedAt: Date | null
  /** Since when it signs nobody in, until the account's address confirms it; null for one in use. */
  suspendedAt: Date | null
}
