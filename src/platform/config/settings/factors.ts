import { boolean } from '../kinds/choices.ts'
import { list } from '../kinds/lists.ts'
import { integer, seconds } from '../kinds/numbers.ts'
import { domain, template, text } from '../kinds/texts.ts'
import { origin } from '../kinds/urls.ts'
import { live } from '../setting.ts'

export const factorSettings = [
  live('mfa.maxEnrolledFactors', {
    env: 'MFA_MAX_ENROLLED_FACTORS',
    kind: integer('factors', { min: 0 }),
    default: 10,
    description: 'Most factors that one user may have.',
  }),
  live('mfa.maxVerifiedFactors', {
    env: 'MFA_MAX_VERIFIED_FACTORS',
    kind: integer('factors', { min: 0 }),
    default: 10,
    description: 'Most factors that one user may have verified.',
  }),
  live('mfa.challengeExpirySeconds', {
    env: 'MFA_CHALLENGE_EXPIRY_DURATION',
    kind: seconds({ min: 300, outside: 300 }),
    default: 300,
    description: 'How long a challenge can be answered, 300 at least.',
  }),
  live('mfa.factorExpirySeconds', {
    env: 'MFA_FACTOR_EXPIRY_DURATION',
    kind: seconds({ min: 300, outside: 300 }),
    default: 300,
    description:
      'How long a factor that was never challenged is in the way of another, 300 at least.',
  }),
  live('mfa.totp.enrollEnabled', {
    env: 'MFA_TOTP_ENROLL_ENABLED',
    kind: boolean,
    default: true,
    description: 'Enrolment of authenticator apps.',
  }),
  live('mfa.totp.verifyEnabled', {
    env: 'MFA_TOTP_VERIFY_ENABLED',
    kind: boolean,
    default: true,
    description: 'Sign-in with authenticator apps.',
  }),
  live('mfa.phone.enrollEnabled', {
    env: 'MFA_PHONE_ENROLL_ENABLED',
    kind: boolean,
    default: false,
    description: 'Enrolment of phones.',
  }),
  live('mfa.phone.verifyEnabled', {
    env: 'MFA_PHONE_VERIFY_ENABLED',
    kind: boolean,
    default: false,
    description: 'Sign-in with codes sent to phones.',
  }),
  live('mfa.phone.otpLength', {
    env: 'MFA_PHONE_OTP_LENGTH',
    kind: integer('digits', { min: 6, max: 10, outside: 6 }),
    default: 6,
    description: 'Length of such a code, 6 to 10.',
  }),
  live('mfa.phone.maxFrequencySeconds', {
    env: 'MFA_PHONE_MAX_FREQUENCY',
    kind: seconds({ min: 0.001, outside: 60 }),
    default: 60,
    description: 'Least time between two such codes for one user.',
  }),
  live('mfa.phone.template', {
    env: 'MFA_PHONE_TEMPLATE',
    kind: template,
    default: 'Your code is {{ .Code }}',
    description: 'Text of such a message; `{{ .Code }}` is the code.',
  }),
  live('mfa.recoveryCodes.enrollEnabled', {
    env: 'MFA_RECOVERY_CODES_ENROLL_ENABLED',
    kind: boolean,
    default: true,
    description: 'Generation of recovery codes, by users who have another factor.',
  }),
  live('mfa.recoveryCodes.verifyEnabled', {
    env: 'MFA_RECOVERY_CODES_VERIFY_ENABLED',
    kind: boolean,
    default: true,
    description: 'Sign-in with recovery codes.',
  }),
  live('mfa.trustedDevices.enabled', {
    env: 'MFA_TRUSTED_DEVICES_ENABLED',
    kind: boolean,
    default: false,
    description: 'Devices on which a second factor need not be shown again for a while.',
  }),
  live('mfa.trustedDevices.expirySeconds', {
    env: 'MFA_TRUSTED_DEVICES_EXPIRY_DURATION',
    kind: seconds({ min: 60, max: 34_560_000 }),
    default: 2_592_000,
    description:
      'How long a device is trusted: a minute to 400 days, for which browsers keep a cookie at most.',
  }),
  live('mfa.webAuthn.enrollEnabled', {
    env: 'MFA_WEB_AUTHN_ENROLL_ENABLED',
    kind: boolean,
    default: false,
    description: 'Enrolment of security keys.',
  }),
  live('mfa.webAuthn.verifyEnabled', {
    env: 'MFA_WEB_AUTHN_VERIFY_ENABLED',
    kind: boolean,
    default: false,
    description: 'Sign-in with security keys.',
  }),
  live('passkeys.enabled', {
    env: 'PASSKEY_ENABLED',
    kind: boolean,
    default: false,
    description: 'Sign-in with passkeys.',
  }),
  live('passkeys.maxPasskeysPerUser', {
    env: 'PASSKEY_MAX_PASSKEYS_PER_USER',
    kind: integer('passkeys', { min: 1 }),
    default: 10,
    description: 'Most passkeys that one user may have.',
  }),
  live('passkeys.signUpEnabled', {
    env: 'PASSKEY_SIGN_UP_ENABLED',
    kind: boolean,
    default: false,
    description: 'Sign-up with a passkey alone, as a user without an address.',
  }),
  live('webAuthn.rpId', {
    env: 'WEBAUTHN_RP_ID',
    bare: ['RP_ID'],
    kind: domain,
    defaultText: 'the host of `AUTH_SITE_URL`',
    description:
      'Domain that passkeys and security keys are bound to: that of the pages that use them, or one above it. Another one makes all that there are worthless.',
  }),
  live('webAuthn.rpDisplayName', {
    env: 'WEBAUTHN_RP_DISPLAY_NAME',
    kind: text,
    defaultText: 'the domain',
    description: 'Name that people read when they make a passkey or enroll a security key.',
  }),
  live('webAuthn.rpOrigins', {
    env: 'WEBAUTHN_RP_ORIGINS',
    kind: list(origin),
    default: [],
    defaultText: 'the origin of `AUTH_SITE_URL`',
    description:
      'Origins of the pages that use passkeys and security keys, and what apps have in their place, such as `android:apk-key-hash:…`.',
  }),
  live('webAuthn.challengeExpirySeconds', {
    env: 'WEBAUTHN_CHALLENGE_EXPIRY_DURATION',
    kind: seconds({ min: 1 }),
    default: 300,
    description:
      'How long the challenge to a passkey can be answered; that to a security key as one to any factor.',
  }),
]
