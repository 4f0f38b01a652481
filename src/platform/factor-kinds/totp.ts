import type { FactorKindDeclaration } from './factor-kind-declaration.ts'

export const totp = {
  section: 'totp',
  env: 'TOTP',
  enabledByDefault: true,
  authenticators: 'authenticator apps',
  outputs: 'authenticator apps',
  errorName: 'TOTP',
  wrongOutput: 'Invalid TOTP code entered',
  names: {
    en: 'authenticator app',
    de: 'Authenticator-App',
    fr: 'application d’authentification',
  },
  pageTexts: {
    en: { name: 'Authenticator app', lead: 'Enter the code from your authenticator app.' },
    de: { name: 'Authenticator-App', lead: 'Geben Sie den Code aus Ihrer Authenticator-App ein.' },
    fr: {
      name: 'Application d’authentification',
      lead: 'Saisissez le code de votre application d’authentification.',
    },
  },
  carrier: null,
  errors: { enroll: [], challenge: [], verify: [] },
} as const satisfies FactorKindDeclaration
