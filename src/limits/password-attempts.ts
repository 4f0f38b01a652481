import { sha256Hex } from '../platform/kit/digest.ts'

/** The number of wrong passwords in a row without a wait. SP 800-63B §5.2.2 allows up to 100. */
export const freeFailures = 50

/** The maximum of the wait, which doubles from one second with each further failure. */
export const maxWaitSeconds = 900

/**
 * The keys that attempts for an address are counted under.
 *
 * Attempts are counted for the user as well, per kind of address: a client with a session that
 * changes the address gets no new guesses. They are not counted for the user across kinds: guesses
 * at an email address would reveal the owner of a phone number.
 *
 * There are two counts of each: one for all clients, and one for a network that the user has
 * recently signed in from. Other clients use up the first count and wait for each other; the owner
 * at a usual network is counted by the second and does not wait for them. An address that many
 * clients share, such as that of an undeclared proxy, is no usual network.
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

/**
 * The same for the user who has an address of that kind. The statement that counts computes it,
 * too.
 */
export const userAttemptKey = (userId: string, kind: string, network: string | null): string =>
  sha256Hex(`user:${kind}:${userId}:${network ?? ''}`)
