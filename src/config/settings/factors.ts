import { boolean } from '../kinds/choices.ts'
import { list } from '../kinds/lists.ts'
import { integer, seconds } from '../kinds/numbers.ts'
import { template, text } from '../kinds/texts.ts'
import { later } from '../setting.ts'

export const factorSettings = [
  later('mfa.maxEnrolledFactors', {
    env: 'MFA_MAX_ENROLLED_FACTORS',
    kind: integer('factors', { min: 0 }),
    default: 10,
    description: 'Most factors that one user may have.',
  }),
  later('mfa.totp.enrollEnabled', {
    env: 'MFA_TOTP_ENROLL_ENABLED',
    kind: boolean,
    default: true,
    description: 'Enrolment of authenticator apps.',
  }),
  later('mfa.totp.verifyEnabled', {
    env: 'MFA_TOTP_VERIFY_ENABLED',
    kind: boolean,
    default: true,
    description: 'Sign-in with authenticator apps.',
  }),
  later('mfa.phone.enrollEnabled', {
    env: 'MFA_PHONE_ENROLL_ENABLED',
    kind: boolean,
    default: false,
    description: 'Enrolment of phones.',
  }),
  later('mfa.phone.verifyEnabled', {
    env: 'MFA_PHONE_VERIFY_ENABLED',
    kind: boolean,
    default: false,
    description: 'Sign-in with codes sent to phones.',
  }),
  later('mfa.phone.otpLength', {
    env: 'MFA_PHONE_OTP_LENGTH',
    kind: integer('digits', { min: 6, max: 10, outside: 6 }),
    default: 6,
    description: 'Length of such a code, 6 to 10.',
  }),
  later('mfa.phone.maxFrequencySeconds', {
    env: 'MFA_PHONE_MAX_FREQUENCY',
    kind: seconds(),
    default: 60,
    description: 'Least time between two such codes.',
  }),
  later('mfa.phone.template', {
    env: 'MFA_PHONE_TEMPLATE',
    kind: template,
    default: 'Your code is {{ .Code }}',
    description: 'Text of such a message; `{{ .Code }}` is the code.',
  }),
  later('mfa.webAuthn.enrollEnabled', {
    env: 'MFA_WEB_AUTHN_ENROLL_ENABLED',
    kind: boolean,
    default: false,
    description: 'Enrolment of security keys.',
  }),
  later('mfa.webAuthn.verifyEnabled', {
    env: 'MFA_WEB_AUTHN_VERIFY_ENABLED',
    kind: boolean,
    default: false,
    description: 'Sign-in with security keys.',
  }),
  later('passkeys.enabled', {
    env: 'PASSKEY_ENABLED',
    kind: boolean,
    default: false,
    description: 'Sign-in with passkeys.',
  }),
  later('webAuthn.rpId', {
    env: 'WEBAUTHN_RP_ID',
    kind: text,
    default: null,
    defaultText: 'the host of `SITE_URL`',
    description: 'Domain that passkeys and security keys are bound to.',
  }),
  later('webAuthn.rpDisplayName', {
    env: 'WEBAUTHN_RP_DISPLAY_NAME',
    kind: text,
    default: null,
    defaultText: 'the domain',
    description: 'Name that people read when they make a passkey.',
  }),
  later('webAuthn.rpOrigins', {
    env: 'WEBAUTHN_RP_ORIGINS',
    kind: list(),
    default: [],
    defaultText: 'the origin of `SITE_URL`',
    description: 'Origins of the pages that use passkeys.',
  }),
]
