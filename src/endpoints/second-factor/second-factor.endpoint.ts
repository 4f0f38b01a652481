import type { Factor } from '../../accounts/users/user.ts'
import type {
  KeyCreationOptions,
  KeyRequestOptions,
} from '../../credentials/webauthn/ceremony-options.ts'
import {
  type ChallengedFactorType,
  challengedFactorTypes,
  factorErrors,
  factorSwitchErrors,
} from '../../platform/factor-kinds/factor-kinds.ts'
import { fields, Json, oneOf, required, Text, Uuid, wireNamed } from '../../platform/http/inputs.ts'
import { type Endpoint, hookErrors } from '../http/endpoint.ts'
import { limit, user } from '../http/guards.ts'

/** The secret of an authenticator app. It is shown once. */
export interface TotpEnrollment {
  /** An SVG document with the URI as a QR code. */
  qrCode: string
  /** The secret in base32, for typing. */
  secret: string
  /** `otpauth://totp/…` */
  uri: string
}

/** A factor that is not verified yet. */
export interface EnrolledFactor
  extends Pick<Factor, 'id' | 'factorType' | 'friendlyName' | 'phone'> {
  /** Null for a phone or a security key. */
  totp: TotpEnrollment | null
}

/** A challenge to prove a factor. */
export interface FactorChallenge extends Pick<Factor, 'factorType'> {
  id: string
  /** The time until which a response is accepted. */
  expiresAt: Date
  /** The WebAuthn ceremony of a security key; null for other factors. */
  webAuthn: KeyCeremony | null
}

/**
 * The WebAuthn ceremony of a security key: its registration at the first time, a signature
 * afterwards.
 */
export type KeyCeremony =
  | {
      type: 'create'
      /** See `PublicKeyCredential.parseCreationOptionsFromJSON`. */
      options: KeyCreationOptions
    }
  | {
      type: 'request'
      /** See `PublicKeyCredential.parseRequestOptionsFromJSON`. */
      options: KeyRequestOptions
    }

export interface EnrollFactorInput {
  accessToken: string
  factorType: ChallengedFactorType
  /**
   * The user's name for the factor. No two factors of a user have the same name, and only one may
   * have none.
   */
  friendlyName?: string | undefined
  /** The name of the service in the app, with `totp`. Default: the host of the site. */
  issuer?: string | undefined
  /** The number in E.164, with `phone`. */
  phone?: string | undefined
}

/** A factor of the signed-in user. */
export interface FactorInput {
  accessToken: string
  factorId: string
}

export interface ChallengeFactorInput extends FactorInput {
  /** The channel to a phone: `sms`, the default, or `whatsapp`. */
  channel?: string | undefined
}

export interface VerifyFactorInput extends FactorInput {
  /** The id from `challengeFactor`. */
  challengeId: string
  /** The code that the app shows, or that was sent to the phone. */
  code?: string | undefined
  /** The response of a security key, from the browser. */
  webAuthn?:
    | {
        /** The type of the challenge. */
        type: 'create' | 'request'
        /** The result of `toJSON()` of the browser's credential. */
        credential: object
      }
    | undefined
}

export const enrollFactorEndpoint = {
  method: 'POST',
  path: '/factors',
  summary: 'Starts the enrollment of a second factor.',
  inCode: 'auth.api.enrollFactor',
  guards: [user, limit('factor_enroll')],
  needsRecentProof: true,
  needsSession: true,
  body: fields({
    factorType: required(oneOf(challengedFactorTypes)),
    friendlyName: Text,
    issuer: Text,
    phone: Text,
  }),
  answers: { 200: 'EnrolledFactor' },
  errors: [
    'insufficient_aal',
    'mfa_factor_name_conflict',
    'reauthentication_needed',
    'too_many_enrolled_mfa_factors',
    ...factorSwitchErrors('enroll'),
    ...factorErrors('enroll'),
  ],
  conditions: {
    insufficient_aal: 'in a session without the factor that the user has',
  },
} as const satisfies Endpoint<EnrollFactorInput>

export const challengeFactorEndpoint = {
  method: 'POST',
  path: '/factors/{factor_id}/challenge',
  summary: 'Starts the verification of a second factor.',
  inCode: 'auth.api.challengeFactor',
  guards: [user, limit('factor_challenge')],
  needsRecentProof: true,
  body: fields({ channel: Text }),
  isBodyOptional: true,
  answers: { 200: 'FactorChallenge' },
  errors: [
    'insufficient_aal',
    'mfa_factor_not_found',
    'reauthentication_needed',
    'too_many_enrolled_mfa_factors',
    ...factorSwitchErrors('verify'),
    ...factorErrors('challenge'),
  ],
} as const satisfies Endpoint<ChallengeFactorInput>

export const verifyFactorEndpoint = {
  method: 'POST',
  path: '/factors/{factor_id}/verify',
  summary: 'Verifies a second factor: the session rises to `aal2`.',
  inCode: 'auth.api.verifyFactor',
  guards: [user, limit('factor_verify')],
  needsRecentProof: true,
  needsSession: true,
  body: fields({
    challengeId: required(Uuid),
    code: Text,
    webAuthn: wireNamed('webauthn', Json),
  }),
  answers: { 200: 'Session' },
  errors: [
    ...hookErrors,
    'insufficient_aal',
    'mfa_challenge_expired',
    'mfa_factor_not_found',
    'mfa_ip_address_mismatch',
    'mfa_verification_failed',
    'mfa_verification_rejected',
    'over_request_rate_limit',
    'reauthentication_needed',
    'too_many_enrolled_mfa_factors',
    ...factorSwitchErrors('verify'),
    ...factorErrors('verify'),
  ],
  conditions: {
    over_request_rate_limit: 'after too many wrong codes',
    too_many_enrolled_mfa_factors: 'at the first verification of a factor',
    webauthn_credential_exists: 'for a security key that is already enrolled',
  },
  signInMethod: 'mfa',
} as const satisfies Endpoint<VerifyFactorInput>

export const unenrollFactorEndpoint = {
  method: 'DELETE',
  path: '/factors/{factor_id}',
  summary: 'Removes a second factor.',
  inCode: 'auth.api.unenrollFactor',
  guards: [user],
  needsRecentProof: true,
  needsSession: true,
  answers: { 200: 'UnenrolledFactor' },
  errors: ['insufficient_aal', 'mfa_factor_not_found', 'reauthentication_needed'],
} as const satisfies Endpoint<FactorInput>
