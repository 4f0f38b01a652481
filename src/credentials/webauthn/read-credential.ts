import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { isRecord } from '../../platform/kit/is-record.ts'

/**
 * The maximum length of a credential id in base64url.
 *
 * @see Web Authentication Level 3 §4 "Credential ID"
 */
const maxIdLength = 1364
const maxTransports = 10

/** Creates the error for an invalid credential. */
type Rejection = () => AuthError

/**
 * Reads a new credential in the form of `toJSON()`.
 *
 * @throws AuthError `webauthn_verification_failed` (400) for any other value, or the error that the
 *   caller specifies.
 */
export function readRegistration(
  credential: unknown,
  invalidCredential: Rejection = verificationFailed,
): RegistrationResponseJSON {
  const { id, response } = readCredential(credential, invalidCredential)
  const { clientDataJSON, attestationObject, transports } = response
  if (!isBase64Url(clientDataJSON) || !isBase64Url(attestationObject)) throw invalidCredential()
  return {
    id,
    rawId: id,
    type: 'public-key',
    clientExtensionResults: {},
    response: {
      clientDataJSON: unpadded(clientDataJSON),
      attestationObject: unpadded(attestationObject),
      transports: readTransports(transports) as NonNullable<
        RegistrationResponseJSON['response']['transports']
      >,
    },
  }
}

/** Reads an assertion in the form of `toJSON()`. Throws like {@link readRegistration}. */
export function readAssertion(
  credential: unknown,
  invalidCredential: Rejection = verificationFailed,
): AuthenticationResponseJSON {
  const { id, response } = readCredential(credential, invalidCredential)
  const { clientDataJSON, authenticatorData, signature, userHandle } = response
  if (
    !isBase64Url(clientDataJSON) ||
    !isBase64Url(authenticatorData) ||
    !isBase64Url(signature) ||
    !isBase64Url(userHandle ?? '')
  ) {
    throw invalidCredential()
  }
  return {
    id,
    rawId: id,
    type: 'public-key',
    clientExtensionResults: {},
    response: {
      clientDataJSON: unpadded(clientDataJSON),
      authenticatorData: unpadded(authenticatorData),
      signature: unpadded(signature),
      userHandle: unpadded(String(userHandle ?? '')),
    },
  }
}

/** Returns the id of a credential before the rest is read; empty for an invalid one. */
export function idOf(credential: unknown): string {
  const id = isRecord(credential) ? credential['id'] : null
  return isBase64Url(id) ? unpadded(id) : ''
}

function readCredential(credential: unknown, invalidCredential: Rejection) {
  if (!isRecord(credential)) throw invalidCredential()
  const { id, rawId, type, response } = credential
  if (!isBase64Url(id) || id === '' || id.length > maxIdLength) throw invalidCredential()
  if (!isBase64Url(rawId) || unpadded(rawId) !== unpadded(id)) throw invalidCredential()
  if (type !== 'public-key' || !isRecord(response)) throw invalidCredential()
  return { id: unpadded(id), response }
}

const isBase64Url = (value: unknown): value is string =>
  typeof value === 'string' && /^[\w-]*={0,2}$/.test(value)

const unpadded = (text: string): string => text.replace(/=+$/, '')

/** Reads hints such as `internal` and `hybrid`. Invalid ones are dropped. */
const readTransports = (transports: unknown): string[] =>
  Array.isArray(transports)
    ? transports
        .filter((one) => typeof one === 'string' && /^[a-z-]{1,20}$/.test(one))
        .slice(0, maxTransports)
    : []

const verificationFailed: Rejection = () =>
  new AuthError('webauthn_verification_failed', 400, 'Invalid credential response')
