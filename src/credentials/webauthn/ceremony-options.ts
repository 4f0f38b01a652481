import type { User } from '../../accounts/users/user.ts'
import { isSameSecret, sha256Hex } from '../../platform/kit/digest.ts'
import type { Random } from '../../platform/kit/random.ts'

/** The party that credentials are bound to. @see Web Authentication Level 3 §4 */
export interface RelyingParty {
  /** A domain. */
  rpId: string
  /** The name that users read. */
  rpDisplayName: string
  /** The origins of the pages that may start a ceremony, as browsers write them. */
  rpOrigins: readonly string[]
}

/**
 * The use of a credential. A passkey signs in alone, and its authenticator verifies the user. A
 * security key is a second factor: the user proves possession by a touch.
 */
export type CredentialUse = 'passkey' | 'security key'

/** The user handle of an authenticator: the text of the id, in base64url. */
export const userHandleOf = (userId: string): string => Buffer.from(userId).toString('base64url')

/** Accepted key algorithms in the order of preference. @see RFC 9053, RFC 8812 */
export const keyAlgorithms = [-7, -35, -36, -257, -258, -259, -37, -38, -39, -8]

/** The time for which a browser waits for the user. */
const timeoutMs = 300_000

/** A credential in the options of a ceremony. */
export interface CredentialDescriptor {
  type: 'public-key'
  id: string
  transports?: string[]
}

/** Options of `navigator.credentials.create`, binary values in base64url. */
interface CreationOptionsOfAny {
  rp: { id: string; name: string }
  user: { id: string; name: string; displayName: string }
  challenge: string
  pubKeyCredParams: { type: 'public-key'; alg: number }[]
  timeout: number
  /**
   * The user's credentials, whose authenticators must not create another. Absent where there are
   * none.
   */
  excludeCredentials?: CredentialDescriptor[]
}

/** The options for a passkey. */
export interface CreationOptions extends CreationOptionsOfAny {
  authenticatorSelection: {
    residentKey: 'required'
    requireResidentKey: true
    userVerification: 'required'
  }
  attestation: 'none'
}

/**
 * The options for a security key as a second factor. Other values are left to the page and the
 * browser.
 */
export interface KeyCreationOptions extends CreationOptionsOfAny {
  authenticatorSelection: Record<string, never>
}

/**
 * Options of `navigator.credentials.get`, binary values in base64url. The user selects a passkey.
 */
export interface AssertionOptions {
  challenge: string
  timeout: number
  rpId: string
  userVerification: 'required'
}

/** Options of `navigator.credentials.get` for a security key: one of the enrolled ones. */
export interface KeyRequestOptions {
  challenge: string
  timeout: number
  rpId: string
  allowCredentials: CredentialDescriptor[]
}

interface Creation {
  challenge: string
  user: { id: string; name: string; displayName: string }
  known: readonly KnownToBrowsers[]
}

interface KnownToBrowsers {
  id: string
  transports: string[]
}

/**
 * Returns the options to create a passkey: a discoverable credential whose authenticator verifies
 * the user.
 *
 * @see Web Authentication Level 3 §5.4
 */
export const creationOptions = (party: RelyingParty, creation: Creation): CreationOptions => ({
  ...optionsOfAny(party, creation),
  authenticatorSelection: {
    residentKey: 'required',
    requireResidentKey: true,
    userVerification: 'required',
  },
  attestation: 'none',
})

/** Returns the options to create a security key. Possession of the authenticator is sufficient. */
export const keyCreationOptions = (
  party: RelyingParty,
  creation: Creation,
): KeyCreationOptions => ({ ...optionsOfAny(party, creation), authenticatorSelection: {} })

const optionsOfAny = (
  { rpId, rpDisplayName }: RelyingParty,
  { challenge, user, known }: Creation,
): CreationOptionsOfAny => ({
  rp: { id: rpId, name: rpDisplayName },
  user: { ...user, id: userHandleOf(user.id) },
  challenge,
  pubKeyCredParams: keyAlgorithms.map((alg) => ({ type: 'public-key', alg })),
  timeout: timeoutMs,
  ...(known.length > 0 && { excludeCredentials: known.map(describe) }),
})

/** Returns the options to request a passkey. @see Web Authentication Level 3 §5.5 */
export const requestOptions = ({ rpId }: RelyingParty, challenge: string): AssertionOptions => ({
  challenge,
  timeout: timeoutMs,
  rpId,
  userVerification: 'required',
})

/** Returns the options to request one of these credentials. */
export const keyRequestOptions = (
  { rpId }: RelyingParty,
  challenge: string,
  known: readonly KnownToBrowsers[],
): KeyRequestOptions => ({
  challenge,
  timeout: timeoutMs,
  rpId,
  allowCredentials: known.map(describe),
})

const describe = ({ id, transports }: KnownToBrowsers): CredentialDescriptor => ({
  type: 'public-key',
  id,
  ...(transports.length > 0 && { transports }),
})

/** Returns the names of a user for the list that an authenticator displays. */
export function credentialUserNames({ id, email, phone, userMetadata }: User): {
  id: string
  name: string
  displayName: string
} {
  const name = email ?? phone ?? ''
  const { name: own } = userMetadata
  return { id, name, displayName: typeof own === 'string' && own !== '' ? own : name }
}

const challengeBytes = 32

/** Returns a new challenge for an authenticator to sign, in base64url. */
export const newChallenge = (random: Random): string =>
  Buffer.from(random.hex(challengeBytes), 'hex').toString('base64url')

/** Returns the hash that is stored of a challenge. */
export const hashChallenge = (challenge: string): string => sha256Hex(challenge)

/** Returns whether the signed value is the challenge with this hash. */
export const isChallenge = (signed: string, challengeHash: string): boolean =>
  isSameSecret(hashChallenge(signed), challengeHash)
