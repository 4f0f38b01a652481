import type { LinkMailDefinition } from './mail-definition.ts'

export const recovery: LinkMailDefinition = {
  purpose: 'recovers an account',
  messageType: 'recovery',
  label: 'Recovery',
  linkType: 'recovery',
  sample: {},
  texts: {
    en: {
      subject: 'Reset your password',
      heading: 'Reset your password',
      message: 'Choose a new password for your {{ .SiteName }} account.',
      button: 'Reset password',
      closing: 'If you did not request this, ignore this email. Your password does not change.',
    },
    de: {
      subject: 'Setzen Sie Ihr Passwort zurück',
      heading: 'Setzen Sie Ihr Passwort zurück',
      message: 'Wählen Sie ein neues Passwort für Ihr Konto bei {{ .SiteName }}.',
      button: 'Passwort zurücksetzen',
      closing:
        'Wenn Sie das nicht angefordert haben, ignorieren Sie diese E-Mail. Ihr Passwort bleibt unverändert.',
    },
    fr: {
      subject: 'Réinitialisez votre mot de passe',
      heading: 'Réinitialisez votre mot de passe',
      message: 'Choisissez un nouveau mot de passe pour votre compte {{ .SiteName }}.',
      button: 'Réinitialiser le mot de passe',
      closing:
        'Si vous n’êtes pas à l’origine de cette demande, ignorez cet e-mail. Votre mot de passe reste inchangé.',
    },
  },
}
