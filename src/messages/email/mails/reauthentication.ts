import type { MailTexts } from '../mail-text.ts'

export const reauthentication: MailTexts = {
  en: {
    subject: '{{ .Token }} is your verification code',
    heading: 'Confirm that it is you',
    message: 'Enter this code at {{ .SiteName }} to go on with your change.',
    closing:
      'If you are not changing anything right now, give this code to nobody, and choose a new password.',
  },
  de: {
    subject: '{{ .Token }} ist Ihr Bestätigungscode',
    heading: 'Bestätigen Sie, dass Sie es sind',
    message: 'Geben Sie diesen Code bei {{ .SiteName }} ein, um mit Ihrer Änderung fortzufahren.',
    closing:
      'Wenn Sie gerade nichts ändern, geben Sie diesen Code niemandem, und wählen Sie ein neues Passwort.',
  },
  fr: {
    subject: '{{ .Token }} est votre code de vérification',
    heading: 'Confirmez qu’il s’agit bien de vous',
    message: 'Saisissez ce code sur {{ .SiteName }} pour poursuivre votre modification.',
    closing:
      'Si vous n’êtes pas en train de modifier quelque chose, ne donnez ce code à personne et choisissez un nouveau mot de passe.',
  },
}
