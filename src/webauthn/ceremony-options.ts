/** Whom credentials are bound to. @see Web Authentication Level 3 §4 */
export interface RelyingParty {
  /** A domain. */
  rpId: string
  /** What people read. */
  rpDisplayName: string
  /** Of the pages that may ask, as browsers write them. */
  rpOrigins: readonly string[]
}

/** What authenticators call a user: the text of the id, in base64url. */
export const userHandleOf = (userId: string): string => Buffer.from(userId).toString('base64url')

/** Algorithms of keys that are taken, the ones liked best first. @see RFC 9053, RFC 8812 */
export const keyAlgorithms = [-7, -35, -36, -257, -258, -259, -37, -38, -39, -8]

/** How long a browser waits for the user. */
const timeoutMs = 300_000

/** What `navigator.credentials.create` takes, binary values in base64url. */
export interface CreationOptions {
  rp: { id: string; name: string }
  user: { id: string; name: string; displayName: string }
  challenge: string
  pubKeyCredParams: { type: 'public-key'; alg: number }[]
  timeout: number
  /** Those that the user has, of which no authenticator is to make another. Absent where there are none. */
  excludeCredentials?: { type: 'public-key'; id: string; transports?: string[] }[]
  authenticatorSelection: {
    residentKey: 'required'
    requireResidentKey: true
    userVerification: 'required'
  }
  attestation: 'none'
}

/** What `navigator.credentials.get` takes, binary values in base64url. The user chooses among all that they have. */
export interface RequestOptions {
  challenge: string
  timeout: number
  rpId: string
  userVerification: 'required'
}

interface Creation {
  challenge: string
  user: { id: string; name: string; displayName: string }
  known: readonly { id: string; transports: string[] }[]
}

/**
 * Has a passkey made: one that is found without a name of the user, and that its authenticator gives out after it has
 * verified them.
 *
 * @see Web Authentication Level 3 §5.4
 */
export const creationOptions = (
  { rpId, rpDisplayName }: RelyingParty,
  { challenge, user, known }: Creation,
): CreationOptions => ({
  rp: { id: rpId, name: rpDisplayName },
  user: { ...user, id: userHandleOf(user.id) },
  challenge,
  pubKeyCredParams: keyAlgorithms.map((alg) => ({ type: 'public-key', alg })),
  timeout: timeoutMs,
  ...(known.length > 0 && {
    excludeCredentials: known.map(({ id, transports }) => ({
      type: 'public-key' as const,
      id,
      ...(transports.length > 0 && { transports }),
    })),
  }),
  authenticatorSelection: {
    residentKey: 'required',
    requireResidentKey: true,
    userVerification: 'required',
  },
  attestation: 'none',
})

/** Asks for a passkey. @see Web Authentication Level 3 §5.5 */
export const requestOptions = ({ rpId }: RelyingParty, challenge: string): RequestOptions => ({
  challenge,
  timeout: timeoutMs,
  rpId,
  userVerification: 'required',
})
