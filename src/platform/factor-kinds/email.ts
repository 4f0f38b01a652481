import type { FactorKindDeclaration } from './factor-kind-declaration.ts'

export const email = {
  section: 'email',
  env: 'EMAIL',
  enabledByDefault: false,
  authenticators: 'email addresses',
  outputs: 'codes sent to email addresses',
  errorName: 'Email',
  wrongOutput: 'Invalid MFA Email code entered',
  names: { en: 'codes by email', de: 'Codes per E-Mail', fr: 'codes par e-mail' },
  pageTexts: {
    en: { name: 'Email', lead: 'We can send a code to your email address.' },
    de: { name: 'E-Mail', lead: 'Wir können einen Code an Ihre E-Mail-Adresse senden.' },
    fr: { name: 'E-mail', lead: 'Nous pouvons envoyer un code à votre adresse e-mail.' },
  },
  carrier: 'email',
  presentedAs: { factorType: 'phone', channel: 'email' },
  ownErrors: {
    mfa_email_not_independent: {
      statuses: [422],
      means:
        'The session began with a link or code by email, or with a provider. The same mailbox would prove both factors.',
      client:
        'Prompt for another factor, or for a sign-in with a password, a passkey, a wallet or a code to a phone.',
    },
  },
  errors: {
    enroll: [
      'email_not_confirmed',
      'mfa_email_not_independent',
      // No carrier takes mails.
      'mfa_email_verify_not_enabled',
      'mfa_verified_factor_exists',
    ],
    challenge: [
      'email_address_not_authorized',
      'email_not_confirmed',
      'mfa_email_not_independent',
      'over_email_send_rate_limit',
    ],
    verify: ['email_not_confirmed', 'mfa_email_not_independent'],
  },
} as const satisfies FactorKindDeclaration
