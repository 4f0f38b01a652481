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
  pageTexts: {
    en: { name: 'Security key', lead: 'Use your security key.' },
    de: { name: 'Sicherheitsschlüssel', lead: 'Verwenden Sie Ihren Sicherheitsschlüssel.' },
    fr: { name: 'Clé de sécurité', lead: 'Utilisez votre clé de sécurité.' },
  },
  carrier: null,
  errors: { enroll: [], challenge: [], verify: ['webauthn_credential_exists'] },
} as const satisfies FactorKindDeclaration
