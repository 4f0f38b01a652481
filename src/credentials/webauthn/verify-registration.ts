import type { RegistrationResponseJSON, VerifiedRegistrationResponse } from '@simplewebauthn/server'
import { type CredentialUse, keyAlgorithms, type RelyingParty } from './ceremony-options.ts'
import { isChallenge } from './challenge.ts'

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
