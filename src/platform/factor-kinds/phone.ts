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
  carrier: 'sms',
  errors: {
    enroll: ['mfa_verified_factor_exists'],
    challenge: ['over_sms_send_rate_limit', 'sms_send_failed'],
    verify: [],
  },
} as const satisfies FactorKindDeclaration
