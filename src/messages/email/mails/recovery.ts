import type { MailTexts } from '../mail-text.ts'

export const recovery: MailTexts = {
  en: {
    subject: 'Reset your password',
    heading: 'Reset your password',
    message:
      'Somebody asked to reset the password of your account at {{ .SiteName }}. If that was you, continue here to choose a new one.',
    button: 'Reset password',
    closing: 'If it was not you, you can ignore this email. Your password stays as it is.',
  },
  de: {
    subject: 'Setzen Sie Ihr Passwort zurück',
    heading: 'Setzen Sie Ihr Passwort zurück',
    message:
      'Jemand möchte das Passwort Ihres Kontos bei {{ .SiteName }} zurücksetzen. Wenn Sie das waren, können Sie hier ein neues wählen.',
    button: 'Passwort zurücksetzen',
    closing:
      'Wenn Sie das nicht waren, ignorieren Sie diese E-Mail einfach. Ihr Passwort bleibt unverändert.',
  },
  fr: {
    subject: 'Réinitialisez votre mot de passe',
    heading: 'Réinitialisez votre mot de passe',
    message:
      'Quelqu’un a demandé à réinitialiser le mot de passe de votre compte sur {{ .SiteName }}. Si c’était vous, vous pouvez en choisir un nouveau ici.',
    button: 'Réinitialiser le mot de passe',
    closing:
      'Si ce n’était pas vous, vous pouvez ignorer cet e-mail. Votre mot de passe reste inchangé.',
  },
}
