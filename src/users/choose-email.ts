import type { Identity } from './user.ts'

/** The address that a user gets from the identities. */
export interface EmailChoice {
  /** In lower case; null where an identity has none. */
  email: string | null
  isVerified: boolean
}

interface Terms {
  /** The addresses of others. */
  taken: readonly string[]
  /** Whether every address counts as verified. */
  autoconfirm: boolean
}

/**
 * Chooses the address that identities give their user: a verified one, else one that is not, else none; of several
 * the oldest.
 *
 * @returns null when each has an address, and all of them are taken.
 */
export function chooseEmail(
  identities: readonly Identity[],
  { taken, autoconfirm }: Terms,
): EmailChoice | null {
  const choices = identities
    .toSorted(byAge)
    .map((identity) => emailOf(identity, autoconfirm))
    .filter(({ email }) => email === null || !taken.includes(email))
  return (
    choices.find(({ isVerified }) => isVerified) ??
    choices.find(({ email }) => email !== null) ??
    choices[0] ??
    null
  )
}

const byAge = (a: Identity, b: Identity): number =>
  a.createdAt.getTime() - b.createdAt.getTime() || (a.id < b.id ? -1 : 1)

/** The address that a provider knows, and whether it has verified it. */
export function emailOf({ identityData }: Identity, autoconfirm: boolean): EmailChoice {
  const { email: known, email_verified: isVerified } = identityData
  const email = typeof known === 'string' && known !== '' ? known.toLowerCase() : null
  return { email, isVerified: email !== null && (isVerified === true || autoconfirm) }
}
