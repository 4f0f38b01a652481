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

/** Algorithms of keys that are taken, the ones liked best first. @see RFC 9053, RFC 8812 */
export const keyAlgorithms = [-7, -35, -36, -257, -258, -259, -37, -38, -39, -8]

/** How long a browser waits for the user. */
const timeoutMs = 300_000

/** A credential as a browser is told of it. */
export interface CredentialDescriptor {
  type: 'public-key'
  id: string
  transports?: string[]
}

/** What `navigator.credentials.create` takes, binary values in base64url. */
interface CreationOptionsOfAny {
  rp: { id: string; name: string }
  user: { id: string; name: string; displayName: string }
  challenge: string
  pubKeyCredParams: { type: 'public-key'; alg: number }[]
  timeout: number
  /** Those that the user has, of which no authenticator is to make another. Absent where there are none. */
  excludeCredentials?: CredentialDescriptor[]
}

/** For a passkey. */
export interface CreationOptions extends CreationOptionsOfAny {
  authenticatorSelection: {
    residentKey: 'required'
    requireResidentKey: true
    userVerification: 'required'
  }
  attestation: 'none'
}

/** For a security key as a second factor. What is not said is left to the page, and to browsers after that. */
export interface KeyCreationOptions extends CreationOptionsOfAny {
  authenticatorSelection: Record<string, never>
}

/** What `navigator.credentials.get` takes, binary values in base64url. The user chooses among all that they have. */
export interface AssertionOptions {
  challenge: string
  timeout: number
  rpId: string
  userVerification: 'required'
}

/** The same for a security key as a second factor: one of those that the user has enrolled. */
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
 * Has a passkey made: one that is found without a name of the user, and that its authenticator gives out after it has
 * verified them.
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

/** Has a credential made that is shown beside a first factor: to hold the authenticator is enough. */
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

/** Asks for a passkey. @see Web Authentication Level 3 §5.5 */
export const requestOptions = ({ rpId }: RelyingParty, challenge: string): AssertionOptions => ({
  challenge,
  timeout: timeoutMs,
  rpId,
  userVerification: 'required',
})

/** Asks for one of these credentials. */
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
