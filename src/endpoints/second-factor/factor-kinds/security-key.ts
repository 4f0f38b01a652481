import { verificationFailed } from '../../../accounts/factors/factor-errors.ts'
import {
  credentialUserNames,
  hashChallenge,
  keyCreationOptions,
  keyRequestOptions,
  newChallenge,
} from '../../../credentials/webauthn/ceremony-options.ts'
import { readAssertion, readRegistration } from '../../../credentials/webauthn/read-credential.ts'
import {
  verifyAssertion,
  verifyRegistration,
} from '../../../credentials/webauthn/verify-ceremony.ts'
import { unlimited } from '../../../limits/send-limits.ts'
import { validationFailed } from '../../../platform/errors/request-errors.ts'
import type {
  AuthenticatorOutput,
  FactorKind,
  VerificationAttempt,
  VerifiedOutput,
} from './factor-kind.ts'

/**
 * The response of a ceremony: a new credential at the first verification, a signature afterwards.
 */
interface SignatureOutput extends AuthenticatorOutput {
  credentialId: string
  ceremony:
    | { type: 'create'; response: ReturnType<typeof readRegistration> }
    | { type: 'request'; response: ReturnType<typeof readAssertion> }
}

/** A WebAuthn security key. @see WebAuthn L3 §7 */
export const securityKey: FactorKind<SignatureOutput> = {
  prepareChallenge: ({ config, random }, { user, factor }) => {
    const challenge = newChallenge(random)
    return {
      codeHash: null,
      challengeHash: hashChallenge(challenge),
      messages: [],
      limits: unlimited,
      // A user with several keys may use any of them.
      ceremony: ({ credentials: known }) => {
        if (factor.status === 'verified') {
          return { type: 'request', options: keyRequestOptions(config.webAuthn, challenge, known) }
        }
        const creation = { challenge, user: credentialUserNames(user), known }
        return { type: 'create', options: keyCreationOptions(config.webAuthn, creation) }
      },
    }
  },
  readOutput: ({ status }, { webAuthn }) => {
    if (!webAuthn) throw validationFailed('webauthn: WebAuthn config required')
    const { type, credential } = webAuthn
    if (type !== 'create' && type !== 'request') {
      throw validationFailed('webauthn: WebAuthn type must be create or request')
    }
    if (!credential) throw validationFailed('webauthn: credential_response required')
    const isRegistered = status === 'verified'
    if (type !== (isRegistered ? 'request' : 'create')) throw verificationFailed('webauthn')
    if (isRegistered) {
      const response = readAssertion(credential, invalidResponse)
      return { credentialId: response.id, ceremony: { type: 'request', response } }
    }
    const response = readRegistration(credential, invalidResponse)
    return { credentialId: response.id, ceremony: { type: 'create', response } }
  },
  verify: ({ config }, attempt) =>
    attempt.output.ceremony.type === 'create'
      ? register(config.webAuthn, attempt, attempt.output.ceremony.response)
      : assert(config.webAuthn, attempt, attempt.output.ceremony.response),
}

const invalidResponse = () => validationFailed('webauthn: Invalid credential_response')

type RelyingParty = Parameters<typeof verifyRegistration>[0]

/** The AAGUID of an authenticator that does not reveal its model. */
const noAaguid = '00000000-0000-0000-0000-000000000000'

/** Verifies that a security key created the credential for the challenge. */
async function register(
  relyingParty: RelyingParty,
  { factor, counted: { challenge } }: VerificationAttempt<SignatureOutput>,
  response: ReturnType<typeof readRegistration>,
): Promise<VerifiedOutput | null> {
  const { challenge_hash: hash } = challenge
  if (hash === null) return null
  const created = await verifyRegistration(relyingParty, hash, response, 'security key')
  if (!created) return null
  return {
    factorId: factor.id,
    change: {
      credential_id: created.id,
      public_key: created.publicKey,
      sign_count: created.signCount,
      transports: created.transports,
      attestation_format: created.attestationFormat,
      web_authn_aaguid: created.aaguid === noAaguid ? null : created.aaguid,
      backup_eligible: created.backupEligible,
      backed_up: created.backedUp,
    },
  }
}

/** Verifies that a security key of the user signed the challenge. */
async function assert(
  relyingParty: RelyingParty,
  { user, counted: { challenge, credential } }: VerificationAttempt<SignatureOutput>,
  response: ReturnType<typeof readAssertion>,
): Promise<VerifiedOutput | null> {
  const { challenge_hash: hash } = challenge
  if (hash === null || !credential) return null
  const known = {
    id: credential.credential_id,
    userId: user.id,
    publicKey: credential.public_key,
    signCount: credential.sign_count,
    backupEligible: credential.backup_eligible,
  }
  const used = await verifyAssertion(relyingParty, hash, response, known, 'security key')
  if (!used) return null
  return {
    factorId: credential.factor_id,
    change: { sign_count: used.signCount, backed_up: used.backedUp },
  }
}
