import { validationFailed } from '../../errors/request-errors.ts'
import { verificationFailed } from '../../factors/factor-errors.ts'
import type { FactorChange } from '../../factors/pass-challenge.sql.ts'
import type { Unread } from '../../http/endpoint.ts'
import type { Factor } from '../../users/user.ts'
import { readAssertion, readRegistration } from '../../webauthn/read-credential.ts'
import type { VerifyFactorInput } from './second-factor.endpoint.ts'

/** What a factor is to be proved by: a code, or what a security key signed, at the first time with its new credential. */
export type Proof =
  | { by: 'code'; code: string }
  | { by: 'registration'; response: ReturnType<typeof readRegistration> }
  | { by: 'assertion'; response: ReturnType<typeof readAssertion> }

/** A proof that was right: which factor it showed, and what it leaves there. */
export interface RightProof {
  factorId: string
  change: FactorChange | null
}

/**
 * Reads what a factor of this type and status can be proved by.
 *
 * @throws AuthError `validation_failed` (400), `mfa_verification_failed` (422) for the registration of a security key
 *   that is registered already, or the signature of one that is not.
 */
export function readProof(
  { factorType, status }: Factor,
  { code, webAuthn }: Pick<Unread<VerifyFactorInput>, 'code' | 'webAuthn'>,
): Proof {
  if (factorType === 'webauthn') return readSignature(webAuthn, status === 'verified')
  if (!code) throw validationFailed('code: Code needs to be non-empty')
  return { by: 'code', code }
}

function readSignature(
  webAuthn: Record<string, unknown> | undefined,
  isRegistered: boolean,
): Proof {
  if (!webAuthn) throw validationFailed('webauthn: WebAuthn config required')
  const { type, credential } = webAuthn
  if (type !== 'create' && type !== 'request') {
    throw validationFailed('webauthn: WebAuthn type must be create or request')
  }
  if (!credential) throw validationFailed('webauthn: credential_response required')
  if (type !== (isRegistered ? 'request' : 'create')) throw verificationFailed('webauthn')
  return isRegistered
    ? { by: 'assertion', response: readAssertion(credential, invalidResponse) }
    : { by: 'registration', response: readRegistration(credential, invalidResponse) }
}

const invalidResponse = () => validationFailed('webauthn: Invalid credential_response')
