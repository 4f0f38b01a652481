import { type Endpoint, hookErrors } from '../../http/endpoint.ts'
import { fields, Json, Metadata, required, Text } from '../../http/inputs.ts'
import type { CreationOptions, RequestOptions } from '../../webauthn/ceremony-options.ts'

/** A challenge to an authenticator, and how long it can be answered. */
export interface PasskeyCeremony<Options> {
  challengeId: string
  expiresAt: Date
  /** For the browser: see `PublicKeyCredential.parseCreationOptionsFromJSON` and `parseRequestOptionsFromJSON`. */
  options: Options
}

export type PasskeyRegistration = PasskeyCeremony<CreationOptions>

export type PasskeyAuthentication = PasskeyCeremony<RequestOptions>

/** What a browser got of an authenticator. */
export interface VerifyPasskeyAuthenticationInput {
  challengeId: string
  /** As `toJSON()` of the browser's credential makes it. */
  credential: object
}

export interface StartPasskeySignUpInput {
  /** What the list of an authenticator shows, 64 bytes at most. Default: the name of the site. */
  name?: string | undefined
}

export interface VerifyPasskeySignUpInput extends VerifyPasskeyAuthenticationInput {
  /** Becomes the user's metadata. */
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
  summary: 'Begins to register a passkey.',
  caller: 'user',
  limit: 'passkey_options',
  answers: { 200: 'PasskeyRegistration' },
  errors: ['insufficient_aal', 'passkey_disabled', 'too_many_passkeys'],
} as const satisfies Endpoint

export const verifyPasskeyRegistrationEndpoint = {
  method: 'POST',
  path: '/passkeys/registration/verify',
  summary: 'Registers a passkey that a browser has made.',
  caller: 'user',
  body: answerOfBrowser,
  answers: { 200: 'Passkey' },
  errors: [
    'insufficient_aal',
    'passkey_disabled',
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
  summary: 'Begins to sign in by passkey.',
  caller: 'anyone',
  limit: 'passkey_options',
  captcha: true,
  isBodyOptional: true,
  answers: { 200: 'PasskeyAuthentication' },
  errors: ['passkey_disabled'],
} as const satisfies Endpoint

export const verifyPasskeyAuthenticationEndpoint = {
  method: 'POST',
  path: '/passkeys/authentication/verify',
  summary: 'Signs in by passkey.',
  caller: 'anyone',
  body: answerOfBrowser,
  answers: { 200: 'Session' },
  errors: [
    ...hookErrors,
    'email_not_confirmed',
    'passkey_disabled',
    'phone_not_confirmed',
    'user_banned',
    'webauthn_challenge_expired',
    'webauthn_challenge_not_found',
    'webauthn_verification_failed',
  ],
} as const satisfies Endpoint<VerifyPasskeyAuthenticationInput>

export const startPasskeySignUpEndpoint = {
  method: 'POST',
  path: '/passkeys/signup/options',
  summary: 'Begins to sign up by a passkey alone.',
  caller: 'anyone',
  limit: 'passkey_options',
  captcha: true,
  body: fields({ name: Text }),
  isBodyOptional: true,
  answers: { 200: 'PasskeyRegistration' },
  errors: ['passkey_disabled', 'signup_disabled'],
} as const satisfies Endpoint<StartPasskeySignUpInput>

export const verifyPasskeySignUpEndpoint = {
  method: 'POST',
  path: '/passkeys/signup/verify',
  summary: 'Signs up by a passkey that a browser has made, as a new user without an address.',
  caller: 'anyone',
  limit: 'anonymous',
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
} as const satisfies Endpoint<VerifyPasskeySignUpInput>

export const listPasskeysEndpoint = {
  method: 'GET',
  path: '/passkeys',
  summary: 'Lists the passkeys of the signed-in user, the oldest first.',
  caller: 'user',
  answers: { 200: 'Passkeys' },
  errors: ['passkey_disabled'],
} as const satisfies Endpoint

export const updatePasskeyEndpoint = {
  method: 'PATCH',
  path: '/passkeys/{passkey_id}',
  summary: 'Renames a passkey.',
  caller: 'user',
  limit: 'update_user',
  body: fields({ friendlyName: required(Text) }),
  answers: { 200: 'Passkey' },
  errors: ['passkey_disabled'],
} as const satisfies Endpoint<UpdatePasskeyInput>

export const deletePasskeyEndpoint = {
  method: 'DELETE',
  path: '/passkeys/{passkey_id}',
  summary: 'Removes a passkey.',
  caller: 'user',
  answers: { 204: null },
  errors: ['insufficient_aal', 'passkey_disabled', 'single_identity_not_deletable'],
} as const satisfies Endpoint<PasskeyInput>
