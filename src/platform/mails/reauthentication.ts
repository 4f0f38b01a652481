import type { MailDefinition } from './mail-definition.ts'

export const reauthentication: MailDefinition = {
  purpose: 'contains the code for a sensitive change',
  messageType: 'reauthenticate',
  label: 'Reauthentication',
  sample: { Token: '417309' },
  texts: {
    en: {
      subject: '{{ .Token }} is your verification code',
      heading: 'Confirm that it is you',
      message: 'Enter this code on {{ .SiteName }} to confirm your change.',
      closing: 'Do not share this code. If you did not request it, change your password.',
    },
    de: {
      subject: '{{ .Token }} ist Ihr Bestätigungscode',
      heading: 'Bestätigen Sie, dass Sie es sind',
      message: 'Geben Sie diesen Code bei {{ .SiteName }} ein, um Ihre Änderung zu bestätigen.',
      closing:
        'Geben Sie diesen Code nicht weiter. Wenn Sie ihn nicht angefordert haben, ändern Sie Ihr Passwort.',
    },
    fr: {
      subject: '{{ .Token }} est votre code de vérification',
      heading: 'Confirmez votre identité',
      message: 'Saisissez ce code sur {{ .SiteName }} pour confirmer votre modification.',
      closing:
        'Ne communiquez ce code à personne. Si vous ne l’avez pas demandé, changez votre mot de passe.',
    },
  },
}
