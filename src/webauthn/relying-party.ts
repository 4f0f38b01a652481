/** Whom credentials are bound to. @see Web Authentication Level 3 §4 */
export interface RelyingParty {
  /** A domain. */
  rpId: string
  /** What people read. */
  rpDisplayName: string
  /** Of the pages that may ask, as browsers write them. */
  rpOrigins: readonly string[]
}

/**
 * What a credential is used for. A passkey signs in by itself, and its authenticator verifies the user; with a security
 * key somebody shows beside a first factor what they have, and touches it.
 */
export type CredentialUse = 'passkey' | 'security key'

/** What authenticators call a user: the text of the id, in base64url. */
export const userHandleOf = (userId: string): string => Buffer.from(userId).toString('base64url')
