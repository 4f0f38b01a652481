import type { MailDefinition } from './mail-definition.ts'

export const mfaCode: MailDefinition = {
  purpose: 'contains the code of a second factor',
  messageType: 'mfa_code',
  label: 'Second factor',
  sample: { Token: '905162' },
  texts: {
    en: {
      subject: '{{ .Token }} is your security code',
      heading: 'Confirm that it is you',
      message:
        'Enter this code on {{ .SiteName }} to complete the second verification step. It can be used only once.',
      closing:
        'Do not share this code. If you did not request it, change your password: another person may know it.',
    },
    de: {
      subject: '{{ .Token }} ist Ihr Sicherheitscode',
      heading: 'Bestätigen Sie, dass Sie es sind',
      message:
        'Geben Sie diesen Code bei {{ .SiteName }} ein, um den zweiten Schritt der Bestätigung abzuschließen. Er kann nur einmal verwendet werden.',
      closing:
        'Geben Sie diesen Code nicht weiter. Wenn Sie ihn nicht angefordert haben, ändern Sie Ihr Passwort: Eine andere Person kennt es möglicherweise.',
    },
    fr: {
      subject: '{{ .Token }} est votre code de sécurité',
      heading: 'Confirmez votre identité',
      message:
        'Saisissez ce code sur {{ .SiteName }} pour terminer la seconde étape de la vérification. Il ne peut être utilisé qu’une seule fois.',
      closing:
        'Ne communiquez ce code à personne. Si vous ne l’avez pas demandé, changez votre mot de passe\u00a0: une autre personne le connaît peut-être.',
    },
  },
}
