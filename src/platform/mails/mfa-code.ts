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
        'Enter this code on {{ .SiteName }} to complete the second step of the verification. It can be used only once.',
      closing:
        'Do not share this code. If you did not request it, another person may know your password: change it.',
    },
    de: {
      subject: '{{ .Token }} ist Ihr Sicherheitscode',
      heading: 'Bestätigen Sie, dass Sie es sind',
      message:
        'Geben Sie diesen Code bei {{ .SiteName }} ein, um den zweiten Schritt der Bestätigung abzuschließen. Er kann nur einmal verwendet werden.',
      closing:
        'Geben Sie diesen Code nicht weiter. Wenn Sie ihn nicht angefordert haben, kennt möglicherweise eine andere Person Ihr Passwort: Ändern Sie es.',
    },
    fr: {
      subject: '{{ .Token }} est votre code de sécurité',
      heading: 'Confirmez qu’il s’agit bien de vous',
      message:
        'Saisissez ce code sur {{ .SiteName }} pour terminer la deuxième étape de la vérification. Il ne peut être utilisé qu’une seule fois.',
      closing:
        'Ne communiquez ce code à personne. Si vous ne l’avez pas demandé, une autre personne connaît peut-être votre mot de passe\u00a0: changez-le.',
    },
  },
}
