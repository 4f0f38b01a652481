import type { WalletMessage } from './read-wallet-message.ts'
import { messageExpired, messageTooNew, messageTooOld, notValidYet } from './wallet-errors.ts'

/**
 * Rejects a message outside its validity: its own, and the maximum of the configuration.
 *
 * @param maximumValiditySeconds the maximum difference between now and its issue.
 * @returns the time after which it is rejected as too old.
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
