import type { FactorKindDeclaration } from './factor-kind-declaration.ts'

export const phone = {
  section: 'phone',
  env: 'PHONE',
  enabledByDefault: false,
  authenticators: 'phones',
  outputs: 'codes sent to phones',
  errorName: 'Phone',
  wrongOutput: 'Invalid MFA Phone code entered',
  names: { en: 'phone', de: 'Telefon', fr: 'téléphone' },
  pageTexts: {
    en: { name: 'Phone', lead: 'We can send a code to your phone.' },
    de: { name: 'Telefon', lead: 'Wir können einen Code an Ihr Telefon senden.' },
    fr: { name: 'Téléphone', lead: 'Nous pouvons envoyer un code à votre téléphone.' },
  },
  carrier: 'sms',
  errors: {
    enroll: ['mfa_verified_factor_exists'],
    challenge: ['over_sms_send_rate_limit', 'sms_send_failed'],
    verify: [],
  },
} as const satisfies FactorKindDeclaration
