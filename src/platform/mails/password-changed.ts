import type { MailDefinition } from './mail-definition.ts'

export const passwordChanged: MailDefinition = {
  purpose: 'reports a new password',
  messageType: 'password_changed_notification',
  sample: {},
  texts: {
    en: {
      subject: 'Your password was changed',
      heading: 'Your password was changed',
      message: 'The password of your {{ .SiteName }} account ({{ .Email }}) was changed.',
      closing: 'If this was not you, reset your password and contact support immediately.',
    },
    de: {
      subject: 'Ihr Passwort wurde geändert',
      heading: 'Ihr Passwort wurde geändert',
      message: 'Das Passwort Ihres Kontos bei {{ .SiteName }} ({{ .Email }}) wurde geändert.',
      closing:
        'Wenn Sie das nicht waren, setzen Sie Ihr Passwort zurück und wenden Sie sich umgehend an den Support.',
    },
    fr: {
      subject: 'Votre mot de passe a été modifié',
      heading: 'Votre mot de passe a été modifié',
      message: 'Le mot de passe de votre compte {{ .SiteName }} ({{ .Email }}) a été modifié.',
      closing:
        'Si ce n’était pas vous, réinitialisez votre mot de passe et contactez immédiatement l’assistance.',
    },
  },
}
