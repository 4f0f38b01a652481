import { sha256Hex } from '../platform/kit/digest.ts'

/** So many wrong passwords in a row cost no wait. SP 800-63B §5.2.2 allows up to 100. */
export const freeFailures = 50

/** The wait doubles from one second with each further one, up to this. */
export const maxWaitSeconds = 900

/**
 * Under what the passwords tried for an address are counted.
 *
 * They are counted for the user as well, by the kind of the address alone: whoever holds a session and changes
 * the address gets no new guesses. Not for the user as such, or guesses at an email address would show at the
 * user's number whose it is.
 *
 * Of each there are two counts: one for all, and one for a network that the user has
 * signed in from lately. Strangers who try passwords use up the first, and make strangers wait; the
 * owner at a usual place is counted by the second, and waits for nobody. An address that many clients
 * share, such as that of a proxy that nobody declared, is nobody's usual place.
 */
export interface AttemptKeys {
  anywhere: string
  fromClient: string
}

export function attemptKeys(
  audience: string,
  { kind, value }: { kind: string; value: string },
  network: string | null,
): AttemptKeys {
  const anywhere = JSON.stringify([audience, kind, value])
  return {
    anywhere: sha256Hex(anywhere),
    fromClient: sha256Hex(JSON.stringify([audience, kind, value, network])),
  }
}

/** The same for whoever has an address of that kind; the statement that counts makes it as well. */
export const userAttemptKey = (userId: string, kind: string, network: string | null): string =>
  sha256Hex(`user:${kind}:${userId}:${network ?? ''}`)
