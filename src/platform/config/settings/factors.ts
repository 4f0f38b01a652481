import {
  type ChallengedFactorType,
  challengedFactorTypes,
  factorKinds,
} from '../../factor-kinds/factor-kinds.ts'
import { capabilityMfaSettings } from '../capability-settings.ts'
import { boolean } from '../parsers/choices.ts'
import { list } from '../parsers/lists.ts'
import { integer, seconds } from '../parsers/numbers.ts'
import { domain, template, text } from '../parsers/texts.ts'
import { origin } from '../parsers/urls.ts'
import { live } from '../setting.ts'

/** Returns the settings that every kind of factor has. */
function switchesOf(type: ChallengedFactorType) {
  const { section, env, enabledByDefault, authenticators, outputs } = factorKinds[type]
  return [
    live(`mfa.${section}.enrollEnabled`, {
      env: `MFA_${env}_ENROLL_ENABLED`,
      parser: boolean,
      default: enabledByDefault,
      description: `Enrollment of ${authenticators}.`,
    }),
    live(`mfa.${section}.verifyEnabled`, {
      env: `MFA_${env}_VERIFY_ENABLED`,
      parser: boolean,
      default: enabledByDefault,
      description: `Sign-in with ${outputs}.`,
    }),
  ]
}

export const factorSettings = [
  live('mfa.maxEnrolledFactors', {
    env: 'MFA_MAX_ENROLLED_FACTORS',
    parser: integer('factors', { min: 0 }),
    default: 10,
    bounds: { unit: 'factors', unusual: 100, ceiling: 1_000, source: 'OWASP API4:2023' },
    description: 'Maximum of factors of one user.',
  }),
  live('mfa.maxVerifiedFactors', {
    env: 'MFA_MAX_VERIFIED_FACTORS',
    parser: integer('factors', { min: 0 }),
    default: 10,
    bounds: { unit: 'factors', unusual: 100, ceiling: 1_000, source: 'OWASP API4:2023' },
    description: 'Maximum of verified factors of one user.',
  }),
  live('mfa.challengeExpirySeconds', {
    env: 'MFA_CHALLENGE_EXPIRY_DURATION',
    parser: seconds({ min: 300, outside: 300 }),
    default: 300,
    bounds: { unit: 'seconds', unusual: 600, ceiling: 3_600, source: 'OWASP ASVS 5.0 §6.5.5' },
    description: 'Lifetime of a challenge, at least 300.',
  }),
  live('mfa.factorExpirySeconds', {
    env: 'MFA_FACTOR_EXPIRY_DURATION',
    parser: seconds({ min: 300, outside: 300 }),
    default: 300,
    bounds: { unit: 'seconds', unusual: 3_600, ceiling: 86_400, source: 'OWASP ASVS 5.0 §6.4.1' },
    description: 'How long a factor without a challenge prevents another enrollment, at least 300.',
  }),
  ...challengedFactorTypes.flatMap(switchesOf),
  live('mfa.phone.otpLength', {
    env: 'MFA_PHONE_OTP_LENGTH',
    parser: integer('digits', { min: 6, max: 10, outside: 6 }),
    default: 6,
    description: 'Length of a code to a phone, 6 to 10.',
  }),
  live('mfa.phone.maxFrequencySeconds', {
    env: 'MFA_PHONE_MAX_FREQUENCY',
    parser: seconds({ min: 0.001, outside: 60 }),
    default: 60,
    description:
      'Minimum time between two codes to the phones of one user that one client requests.',
  }),
  live('mfa.phone.template', {
    env: 'MFA_PHONE_TEMPLATE',
    parser: template,
    default: 'Your code is {{ .Code }}',
    description: 'Text of a message to a phone; `{{ .Code }}` is the code.',
  }),
  live('mfa.recoveryCodes.enrollEnabled', {
    env: 'MFA_RECOVERY_CODES_ENROLL_ENABLED',
    parser: boolean,
    default: true,
    description: 'Generation of recovery codes, by users who have another factor.',
  }),
  live('mfa.recoveryCodes.verifyEnabled', {
    env: 'MFA_RECOVERY_CODES_VERIFY_ENABLED',
    parser: boolean,
    default: true,
    description: 'Sign-in with recovery codes.',
  }),
  ...capabilityMfaSettings,
  live('passkeys.enabled', {
    env: 'PASSKEY_ENABLED',
    parser: boolean,
    default: false,
    description: 'Sign-in with passkeys.',
  }),
  live('passkeys.maxPasskeysPerUser', {
    env: 'PASSKEY_MAX_PASSKEYS_PER_USER',
    parser: integer('passkeys', { min: 1 }),
    default: 10,
    bounds: { unit: 'passkeys', unusual: 100, ceiling: 1_000, source: 'OWASP API4:2023' },
    description: 'Maximum of passkeys of one user.',
  }),
  live('passkeys.signUpEnabled', {
    env: 'PASSKEY_SIGN_UP_ENABLED',
    parser: boolean,
    default: false,
    description: 'Sign-up with a passkey alone, as a user without an address.',
  }),
  live('webAuthn.rpId', {
    env: 'WEBAUTHN_RP_ID',
    bare: ['RP_ID'],
    parser: domain,
    defaultText: 'the host of `AUTH_SITE_URL`',
    description:
      'Domain that passkeys and security keys are bound to: that of the pages, or a parent domain; changing it makes all existing ones unusable.',
  }),
  live('webAuthn.rpDisplayName', {
    env: 'WEBAUTHN_RP_DISPLAY_NAME',
    parser: text,
    defaultText: 'the domain',
    description: 'Name shown when a user creates a passkey or enrolls a security key.',
  }),
  live('webAuthn.rpOrigins', {
    env: 'WEBAUTHN_RP_ORIGINS',
    parser: list(origin),
    default: [],
    defaultText: 'the origin of `AUTH_SITE_URL`',
    description:
      'Origins of the pages that use passkeys and security keys, and their equivalent in apps, such as `android:apk-key-hash:…`.',
  }),
  live('webAuthn.challengeExpirySeconds', {
    env: 'WEBAUTHN_CHALLENGE_EXPIRY_DURATION',
    parser: seconds({ min: 1 }),
    default: 300,
    bounds: { unit: 'seconds', unusual: 600, ceiling: 3_600, source: 'WebAuthn L3 §13.4.3' },
    description:
      'Lifetime of a passkey challenge; one for a security key has the lifetime of any factor.',
  }),
]
