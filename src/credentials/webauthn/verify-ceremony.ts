import type {
  AuthenticationResponseJSON,
  RegistrationResponseJSON,
  VerifiedAuthenticationResponse,
  VerifiedRegistrationResponse,
} from '@simplewebauthn/server'
import {
  type CredentialUse,
  isChallenge,
  keyAlgorithms,
  type RelyingParty,
  userHandleOf,
} from './ceremony-options.ts'

/** A new credential. Binary values are in base64url. */
export interface NewCredential {
  id: string
  /** COSE. */
  publicKey: string
  signCount: number
  transports: string[]
  attestationFormat: string
  aaguid: string
  backupEligible: boolean
  backedUp: boolean
}

/**
 * The attestation formats whose statements are verified by their content. The others require lists
 * of revoked certificates from URLs in the certificates. No security key uses those formats.
 */
const attestationFormats = ['none', 'packed', 'fido-u2f', 'tpm']

/**
 * Verifies that a user created the credential for this relying party and challenge, with user
 * presence. For a passkey it also requires user verification.
 *
 * @returns null when the credential is invalid.
 * @see Web Authentication Level 3 §7.1
 */
export async function verifyRegistration(
  { rpId, rpOrigins }: RelyingParty,
  challengeHash: string,
  response: RegistrationResponseJSON,
  use: CredentialUse = 'passkey',
): Promise<NewCredential | null> {
  const [{ verifyRegistrationResponse }, { decodeAttestationObject, isoBase64URL }] =
    await Promise.all([import('@simplewebauthn/server'), import('@simplewebauthn/server/helpers')])
  let verified: VerifiedRegistrationResponse
  try {
    const statement = isoBase64URL.toBuffer(response.response.attestationObject)
    if (!attestationFormats.includes(decodeAttestationObject(statement).get('fmt'))) return null
    verified = await verifyRegistrationResponse({
      response,
      expectedChallenge: (signed) => isChallenge(signed, challengeHash),
      expectedOrigin: [...rpOrigins],
      expectedRPID: rpId,
      requireUserVerification: use === 'passkey',
      supportedAlgorithmIDs: keyAlgorithms,
    })
  } catch {
    // The parser throws on malformed input, which is an invalid credential and no fault.
    return null
  }
  if (!verified.verified) return null
  const { credential, fmt, aaguid, credentialDeviceType, credentialBackedUp } =
    verified.registrationInfo
  if (credential.id !== response.id) return null
  return {
    id: credential.id,
    publicKey: Buffer.from(credential.publicKey).toString('base64url'),
    signCount: credential.counter,
    transports: response.response.transports ?? [],
    attestationFormat: fmt,
    aaguid,
    backupEligible: credentialDeviceType === 'multiDevice',
    backedUp: credentialBackedUp,
  }
}

/** A stored credential and its user. */
interface KnownCredential {
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
