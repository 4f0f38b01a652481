import type { MailTexts } from '../mail-text.ts'

export const passwordChanged: MailTexts = {
  en: {
    subject: 'Your password was changed',
    heading: 'Your password was changed',
    message: 'The password of your account {{ .Email }} at {{ .SiteName }} was just changed.',
    closing: 'If it was not you, reset your password and contact the support at once.',
  },
  de: {
    subject: 'Ihr Passwort wurde geändert',
    heading: 'Ihr Passwort wurde geändert',
    message: 'Das Passwort Ihres Kontos {{ .Email }} bei {{ .SiteName }} wurde soeben geändert.',
    closing:
      'Wenn Sie das nicht waren, setzen Sie Ihr Passwort zurück und wenden Sie sich sofort an den Support.',
  },
  fr: {
    subject: 'Votre mot de passe a été modifié',
    heading: 'Votre mot de passe a été modifié',
    message:
      'Le mot de passe de votre compte {{ .Email }} sur {{ .SiteName }} vient d’être modifié.',
    closing:
      'Si ce n’était pas vous, réinitialisez votre mot de passe et contactez immédiatement l’assistance.',
  },
}
