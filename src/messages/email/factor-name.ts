import type { Language } from './languages.ts'

const named = (totp: string, phone: string, webAuthn: string, recoveryCode: string): string =>
  `{{ if eq .FactorType "totp" }}${totp}{{ else if eq .FactorType "phone" }}${phone}` +
  `{{ else if eq .FactorType "webauthn" }}${webAuthn}` +
  `{{ else if eq .FactorType "recovery_code" }}${recoveryCode}{{ else }}{{ .FactorType }}{{ end }}`

/** What people call a factor, after "with". */
export const factorName: Readonly<Record<Language, string>> = {
  en: named('an authenticator app', 'a phone', 'a security key or passkey', 'recovery codes'),
  de: named(
    'einer Authenticator-App',
    'einem Telefon',
    'einem Sicherheitsschlüssel oder Passkey',
    'Wiederherstellungscodes',
  ),
  fr: named(
    'une application d’authentification',
    'un téléphone',
    'une clé de sécurité ou une clé d’accès',
    'des codes de récupération',
  ),
}
