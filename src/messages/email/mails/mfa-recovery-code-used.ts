import type { MailTexts } from '../mail-text.ts'

export const mfaRecoveryCodeUsed: MailTexts = {
  en: {
    subject: 'A recovery code was used to sign in to your account.',
    heading: 'A recovery code was used to sign in to your account',
    message:
      'Somebody signed in to your account {{ .Email }} at {{ .SiteName }} with one of your recovery codes. It cannot be used again.',
    closing:
      'If it was not you, change your password, generate new codes and contact the support at once.',
  },
  de: {
    subject: 'Mit einem Wiederherstellungscode wurde auf Ihr Konto zugegriffen.',
    heading: 'Mit einem Wiederherstellungscode wurde auf Ihr Konto zugegriffen',
    message:
      'Jemand hat sich bei Ihrem Konto {{ .Email }} bei {{ .SiteName }} mit einem Ihrer Wiederherstellungscodes angemeldet. Der Code ist damit verbraucht.',
    closing:
      'Wenn Sie das nicht waren, ändern Sie Ihr Passwort, erzeugen Sie neue Codes und wenden Sie sich sofort an den Support.',
  },
  fr: {
    subject: 'Un code de récupération a été utilisé pour accéder à votre compte.',
    heading: 'Un code de récupération a été utilisé pour accéder à votre compte',
    message:
      'Quelqu’un s’est connecté à votre compte {{ .Email }} sur {{ .SiteName }} avec l’un de vos codes de récupération. Ce code ne peut plus servir.',
    closing:
      'Si ce n’était pas vous, changez votre mot de passe, générez de nouveaux codes et contactez immédiatement l’assistance.',
  },
}
