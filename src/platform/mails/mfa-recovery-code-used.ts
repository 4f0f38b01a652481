import type { MailDefinition } from './mail-definition.ts'

export const mfaRecoveryCodeUsed: MailDefinition = {
  purpose: 'reports a used recovery code',
  messageType: 'mfa_recovery_code_used_notification',
  sample: {},
  texts: {
    en: {
      subject: 'A recovery code was used to sign in to your account.',
      heading: 'A recovery code was used to sign in to your account',
      message:
        'One of your recovery codes was used to sign in to your {{ .SiteName }} account ({{ .Email }}). This code cannot be used again.',
      closing:
        'If this was not you, change your password, generate new recovery codes and contact support immediately.',
    },
    de: {
      subject: 'Mit einem Wiederherstellungscode wurde auf Ihr Konto zugegriffen.',
      heading: 'Mit einem Wiederherstellungscode wurde auf Ihr Konto zugegriffen',
      message:
        'Einer Ihrer Wiederherstellungscodes wurde für eine Anmeldung bei {{ .SiteName }} (Konto: {{ .Email }}) verwendet. Dieser Code kann nicht noch einmal verwendet werden.',
      closing:
        'Wenn Sie das nicht waren, ändern Sie Ihr Passwort, erzeugen Sie neue Wiederherstellungscodes und wenden Sie sich umgehend an den Support.',
    },
    fr: {
      subject: 'Un code de récupération a été utilisé pour accéder à votre compte.',
      heading: 'Un code de récupération a été utilisé pour accéder à votre compte',
      message:
        'L’un de vos codes de récupération a été utilisé pour une connexion à votre compte {{ .SiteName }} ({{ .Email }}). Ce code ne peut plus être utilisé.',
      closing:
        'Si ce n’était pas vous, changez votre mot de passe, générez de nouveaux codes de récupération et contactez immédiatement l’assistance.',
    },
  },
}
