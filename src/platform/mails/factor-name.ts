import type { Language } from '../kit/languages.ts'

const named = (totp: string, phone: string, webAuthn: string, recoveryCode: string): string =>
  `{{ if eq .FactorType "totp" }}${totp}{{ else if eq .FactorType "phone" }}${phone}` +
  `{{ else if eq .FactorType "webauthn" }}${webAuthn}` +
  `{{ else if eq .FactorType "recovery_code" }}${recoveryCode}{{ else }}{{ .FactorType }}{{ end }}`

/** The name of a factor's kind, to follow a colon. */
export const factorName: Readonly<Record<Language, string>> = {
  en: named('authenticator app', 'phone', 'security key or passkey', 'recovery codes'),
  de: named(
    'Authenticator-App',
    'Telefon',
    'Sicherheitsschlüssel oder Passkey',
    'Wiederherstellungscodes',
  ),
  fr: named(
    'application d’authentification',
    'téléphone',
    'clé de sécurité ou clé d’accès',
    'codes de récupération',
  ),
}
