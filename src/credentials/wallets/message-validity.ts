import type { WalletMessage } from './read-wallet-message.ts'
import { messageExpired, messageTooNew, messageTooOld, notValidYet } from './wallet-errors.ts'

/**
 * Refuses a message outside its time: the one that it says itself, and that which the service allows for.
 *
 * @param maximumValiditySeconds how far from now it may have been issued.
 * @returns when it is refused by its age.
 * @throws AuthError `invalid_credentials` (400), on the wire `invalid_grant`.
 */
export function requireValidAt(
  now: Date,
  { chain, issuedAt, expiresAt, notBefore }: WalletMessage,
  maximumValiditySeconds: number,
): Date {
  if (notBefore && now < notBefore) throw notValidYet(chain)
  if (expiresAt && now > expiresAt) throw messageExpired(chain)
  const validityMs = maximumValiditySeconds * 1000
  const oldAt = new Date(issuedAt.getTime() + validityMs)
  if (now > oldAt) throw messageTooOld(chain)
  if (now.getTime() < issuedAt.getTime() - validityMs) throw messageTooNew(chain)
  return expiresAt && expiresAt < oldAt ? expiresAt : oldAt
}
