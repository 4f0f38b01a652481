import type {
  AssertionOptions,
  CreationOptions,
} from '../../credentials/webauthn/ceremony-options.ts'
import { fields, Json, Metadata, required, Text } from '../../platform/http/inputs.ts'
import { type Endpoint, hookErrors } from '../http/endpoint.ts'
import { anyone, captcha, limit, offeredIf, user } from '../http/guards.ts'
import { requirePasskeys, requireSignUp } from './require-passkeys.ts'

/** A challenge to an authenticator, with its expiry. */
export interface PasskeyCeremony<Options> {
  challengeId: string
  expiresAt: Date
  /**
   * The options for the browser: see `PublicKeyCredential.parseCreationOptionsFromJSON` and
   * `parseRequestOptionsFromJSON`.
   */
  options: Options
}

export type PasskeyRegistration = PasskeyCeremony<CreationOptions>

export type PasskeyAuthentication = PasskeyCeremony<AssertionOptions>

/** The response of an authenticator, from the browser. */
export interface VerifyPasskeyAuthenticationInput {
  challengeId: string
  /** The result of `toJSON()` of the browser's credential. */
  credential: object
}

export interface StartPasskeySignUpInput {
  /**
   * The account name that the authenticator displays, 64 bytes at most. Default: the name of the
   * site.
   */
  name?: string | undefined
}

export interface VerifyPasskeySignUpInput extends VerifyPasskeyAuthenticationInput {
  /** The metadata of the new user. */
  data?: Record<string, unknown> | undefined
}

export interface VerifyPasskeyRegistrationInput extends VerifyPasskeyAuthenticationInput {
  accessToken: string
}

/** A passkey of the signed-in user. */
export interface PasskeyInput {
  accessToken: string
  passkeyId: string
}

export interface UpdatePasskeyInput extends PasskeyInput {
  /** 120 bytes at most. */
  friendlyName: string
}

const answerFields = { challengeId: required(Text), credential: required(Json) }
const answerOfBrowser = fields(answerFields)

export const startPasskeyRegistrationEndpoint = {
  method: 'POST',
  path: '/passkeys/registration/options',
  summary: 'Starts the registration of a passkey.',
  inCode: 'auth.api.startPasskeyRegistration',
  guards: [offeredIf(requirePasskeys), user, limit('passkey_options')],
  needsRecentProof: true,
  needsSession: true,
  answers: { 200: 'PasskeyRegistration' },
  errors: ['insufficient_aal', 'passkey_disabled', 'reauthentication_needed', 'too_many_passkeys'],
  conditions: {
    insufficient_aal: 'in a session without the second factor that the user has',
  },
} as const satisfies Endpoint

export const verifyPasskeyRegistrationEndpoint = {
  method: 'POST',
  path: '/passkeys/registration/verify',
  summary: 'Registers a passkey that the browser has created.',
  inCode: 'auth.api.verifyPasskeyRegistration',
  guards: [offeredIf(requirePasskeys), user],
  needsRecentProof: true,
  needsSession: true,
  body: answerOfBrowser,
  answers: { 200: 'Passkey' },
  errors: [
    'insufficient_aal',
    'passkey_disabled',
    'reauthentication_needed',
    'too_many_passkeys',
    'webauthn_challenge_expired',
    'webauthn_challenge_not_found',
    'webauthn_credential_exists',
    'webauthn_verification_failed',
  ],
} as const satisfies Endpoint<VerifyPasskeyRegistrationInput>

export const startPasskeyAuthenticationEndpoint = {
  method: 'POST',
  path: '/passkeys/authentication/options',
  summary: 'Starts a sign-in by passkey.',
  inCode: 'auth.api.startPasskeyAuthentication',
  guards: [offeredIf(requirePasskeys), anyone, limit('passkey_options'), captcha],
  isBodyOptional: true,
  answers: { 200: 'PasskeyAuthentication' },
  errors: ['passkey_disabled'],
} as const satisfies Endpoint

export const verifyPasskeyAuthenticationEndpoint = {
  method: 'POST',
  path: '/passkeys/authentication/verify',
  summary: 'Signs in by passkey.',
  inCode: 'auth.api.verifyPasskeyAuthentication',
  guards: [offeredIf(requirePasskeys), anyone, limit('passkey_verify')],
  body: answerOfBrowser,
  answers: { 200: 'Session' },
  errors: [
    ...hookErrors,
    'email_not_confirmed',
    'passkey_disabled',
    'phone_not_confirmed',
    'sign_in_method_suspended',
    'user_banned',
    'webauthn_challenge_expired',
    'webauthn_challenge_not_found',
    'webauthn_verification_failed',
  ],
  signInMethod: 'passkey',
} as const satisfies Endpoint<VerifyPasskeyAuthenticationInput>

export const startPasskeySignUpEndpoint = {
  method: 'POST',
  path: '/passkeys/signup/options',
  summary: 'Starts a sign-up by passkey only.',
  inCode: 'auth.api.startPasskeySignUp',
  guards: [offeredIf(requireSignUp), anyone, limit('passkey_options'), captcha],
  body: fields({ name: Text }),
  isBodyOptional: true,
  answers: { 200: 'PasskeyRegistration' },
  errors: ['passkey_disabled', 'signup_disabled'],
} as const satisfies Endpoint<StartPasskeySignUpInput>

export const verifyPasskeySignUpEndpoint = {
  method: 'POST',
  path: '/passkeys/signup/verify',
  summary: 'Signs up by a passkey that the browser has created, as a new user without an address.',
  inCode: 'auth.api.verifyPasskeySignUp',
  guards: [offeredIf(requireSignUp), anyone, limit('anonymous')],
  body: fields({ ...answerFields, data: Metadata }),
  answers: { 200: 'Session' },
  errors: [
    ...hookErrors,
    'passkey_disabled',
    'signup_disabled',
    'webauthn_challenge_expired',
    'webauthn_challenge_not_found',
    'webauthn_credential_exists',
    'webauthn_verification_failed',
  ],
  signInMethod: 'passkey',
} as const satisfies Endpoint<VerifyPasskeySignUpInput>

export const listPasskeysEndpoint = {
  method: 'GET',
  path: '/passkeys',
  summary: 'Lists the passkeys of the signed-in user, the oldest first.',
  inCode: 'auth.api.listPasskeys',
  guards: [offeredIf(requirePasskeys), user],
  needsRecentProof: false,
  answers: { 200: 'Passkeys' },
  errors: ['passkey_disabled'],
} as const satisfies Endpoint

export const updatePasskeyEndpoint = {
  method: 'PATCH',
  path: '/passkeys/{passkey_id}',
  summary: 'Renames a passkey.',
  inCode: 'auth.api.updatePasskey',
  guards: [offeredIf(requirePasskeys), user, limit('update_user')],
  needsRecentProof: false,
  body: fields({ friendlyName: required(Text) }),
  answers: { 200: 'Passkey' },
  errors: ['passkey_disabled'],
  conditions: {
    validation_failed: 'also for a passkey that the user does not have (404)',
  },
} as const satisfies Endpoint<UpdatePasskeyInput>

export const deletePasskeyEndpoint = {
  method: 'DELETE',
  path: '/passkeys/{passkey_id}',
  summary: 'Removes a passkey.',
  inCode: 'auth.api.deletePasskey',
  guards: [offeredIf(requirePasskeys), user],
  needsRecentProof: true,
  needsSession: true,
  answers: { 204: null },
  errors: [
    'insufficient_aal',
    'passkey_disabled',
    'reauthentication_needed',
    'single_identity_not_deletable',
  ],
  conditions: {
    single_identity_not_deletable:
      'for the last passkey of a user with neither a confirmed address nor a usable identity',
    validation_failed: 'also for a passkey that the user does not have (404)',
  },
} as const satisfies Endpoint<PasskeyInput>
