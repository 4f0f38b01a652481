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
  carrier: null,
  errors: { enroll: [], challenge: [], verify: [] },
} as const satisfies FactorKindDeclaration
