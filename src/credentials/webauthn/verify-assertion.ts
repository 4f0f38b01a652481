import type {
  AuthenticationResponseJSON,
  VerifiedAuthenticationResponse,
} from '@simplewebauthn/server'
import { type CredentialUse, type RelyingParty, userHandleOf } from './ceremony-options.ts'
import { isChallenge } from './challenge.ts'

/** A stored credential and its user. */
export interface KnownCredential {
  id: string
  userId: string
  /** COSE, in base64url. */
  publicKey: string
  signCount: number
  backupEligible: boolean
}

/** The state of the authenticator in a signed assertion. */
export interface Assertion {
  signCount: number
  backedUp: boolean
}

/**
 * Verifies that the owner of a credential signed the challenge for this relying party, with user
 * presence. For a passkey it also requires user verification and the user handle.
 *
 * A signature count that does not increase is rejected, since the key may have been cloned.
 *
 * @returns null when the assertion is invalid.
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
  // An authenticator that received the credential's id need not store the user handle.
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
    // The parser throws on malformed input, which is an invalid assertion and no fault.
    return null
  }
  const { verified, authenticationInfo } = verification
  if (!verified) return null
  const { newCounter, credentialDeviceType, credentialBackedUp } = authenticationInfo
  if ((credentialDeviceType === 'multiDevice') !== backupEligible) return null
  return { signCount: newCounter, backedUp: credentialBackedUp }
}
