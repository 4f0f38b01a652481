import type { RegistrationResponseJSON, VerifiedRegistrationResponse } from '@simplewebauthn/server'
import { type CredentialUse, keyAlgorithms, type RelyingParty } from './ceremony-options.ts'
import { isChallenge } from './challenge.ts'

/** A credential that an authenticator has made. Binary values are in base64url. */
export interface NewCredential {
  id: string
  /** In COSE. */
  publicKey: string
  signCount: number
  transports: string[]
  attestationFormat: string
  aaguid: string
  backupEligible: boolean
  backedUp: boolean
}

/**
 * Statements of attestation that are verified by what they hold. The others lead to lists of revoked certificates,
 * which would be fetched from wherever a certificate says. Security keys make none of those.
 */
const attestationFormats = ['none', 'packed', 'fido-u2f', 'tpm']

/**
 * Verifies that a user made this credential here, for this challenge, and was there; of a passkey also that its
 * authenticator verified them.
 *
 * @returns null when anything is wrong.
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
    // Whatever the bytes of a stranger do to a parser is their mistake.
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
