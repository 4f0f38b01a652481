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

/** A challenge to prove a factor. */
export interface FactorChallenge extends Pick<Factor, 'factorType'> {
  id: string
  /** When it has to be answered by. */
  expiresAt: Date
  /** Of a security key; null of another factor. */
  webAuthn: KeyCeremony | null
}

/** What a browser is to do with a security key: to register it at the first time, and to ask for it from then on. */
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
  /** What the user calls it. No two factors of a user have the same name, nor both none. */
  friendlyName?: string | undefined
  /** With `totp`: what the app calls the service. Default: the host of the site. */
  issuer?: string | undefined
  /** With `phone`: the number, in E.164. */
  phone?: string | undefined
}

/** A factor of the signed-in user. */
export interface FactorInput {
  accessToken: string
  factorId: string
}

export interface ChallengeFactorInput extends FactorInput {
  /** How a phone is reached: `sms`, the default, or `whatsapp`. */
  channel?: string | undefined
}

export interface VerifyFactorInput extends FactorInput {
  /** From `challengeFactor`. */
  challengeId: string
  /** What the app shows, or what was sent to the phone. */
  code?: string | undefined
  /** What a browser got of a security key. */
  webAuthn?:
    | {
        /** That of the challenge. */
        type: 'create' | 'request'
        /** As `toJSON()` of the browser's credential makes it. */
        credential: object
      }
    | undefined
}

export const enrollFactorEndpoint = {
  method: 'POST',
  path: '/factors',
  summary: 'Begins to enroll a second factor.',
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
  summary: 'Begins to prove a second factor.',
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
    ...factorSwitchErrors('verify'),
    ...factorErrors('challenge'),
  ],
} as const satisfies Endpoint<ChallengeFactorInput>

export const verifyFactorEndpoint = {
  method: 'POST',
  path: '/factors/{factor_id}/verify',
  summary: 'Proves a second factor: the session rises to `aal2`.',
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
    ...factorSwitchErrors('verify'),
    ...factorErrors('verify'),
  ],
  conditions: {
    over_request_rate_limit: 'after too many wrong codes',
    webauthn_credential_exists: 'for a security key that is enrolled already',
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
