import type {
  AuthenticationResponseJSON,
  VerifiedAuthenticationResponse,
} from '@simplewebauthn/server'
import { type CredentialUse, type RelyingParty, userHandleOf } from './ceremony-options.ts'
import { isChallenge } from './challenge.ts'

/** A credential that is known, and whose it is. */
export interface KnownCredential {
  id: string
  userId: string
  /** In COSE, in base64url. */
  publicKey: string
  signCount: number
  backupEligible: boolean
}

/** What an authenticator says of itself with a signature. */
export interface Assertion {
  signCount: number
  backedUp: boolean
}

/**
 * Verifies that the holder of this credential signed this challenge here, and was there; with a passkey also that the
 * authenticator verified them, and whose it says that it is.
 *
 * A count of signatures that does not rise is refused: somebody may have copied the key.
 *
 * @returns null when anything is wrong.
 * @see Web Authentication Level 3 §7.2
 */
export async function verifyAssertion(
  { rpId, rpOrigins }: RelyingParty,
  challengeHash: string,
  response: AuthenticationResponseJSON,
  { id, userId, publicKey, signCount, backupEligible }: KnownCredential,
  use: CredentialUse = 'passkey',
): Promise<Assertion | null> {
  if (response.id !== id) return null
  // An authenticator that was told which credential to use need not remember whose it is.
  const { userHandle } = response.response
  const isUnnamed = use === 'security key' && !userHandle
  if (!isUnnamed && userHandle !== userHandleOf(userId)) return null
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  let verification: VerifiedAuthenticationResponse
  try {
    verification = await verifyAuthenticationResponse({
      response,
      expectedChallenge: (signed) => isChallenge(signed, challengeHash),
      expectedOrigin: [...rpOrigins],
      expectedRPID: rpId,
      requireUserVerification: use === 'passkey',
      credential: {
        id,
        publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')),
        counter: signCount,
      },
    })
  } catch {
    // Whatever the bytes of a stranger do to a parser is their mistake.
    return null
  }
  const { verified, authenticationInfo } = verification
  if (!verified) return null
  const { newCounter, credentialDeviceType, credentialBackedUp } = authenticationInfo
  if ((credentialDeviceType === 'multiDevice') !== backupEligible) return null
  return { signCount: newCounter, backedUp: credentialBackedUp }
}
