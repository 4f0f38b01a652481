import type { FactorKindDeclaration } from './factor-kind-declaration.ts'

export const webauthn = {
  section: 'webAuthn',
  env: 'WEB_AUTHN',
  enabledByDefault: false,
  authenticators: 'security keys',
  outputs: 'security keys',
  errorName: 'WebAuthn',
  wrongOutput: 'Invalid WebAuthn credential',
  names: {
    en: 'security key or passkey',
    de: 'Sicherheitsschlüssel oder Passkey',
    fr: 'clé de sécurité ou clé d’accès',
  },
  carrier: null,
  errors: { enroll: [], challenge: [], verify: ['webauthn_credential_exists'] },
} as const satisfies FactorKindDeclaration
