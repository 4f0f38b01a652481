import type { LinkMailDefinition } from './mail-definition.ts'

/** Sent to the new address, and to the current one if both confirm the change. */
export const emailChange: LinkMailDefinition = {
  purpose: 'confirms a change of address',
  messageType: 'email_change',
  label: 'Change of address',
  linkType: 'email_change',
  sample: { NewEmail: 'ada@lovelace.example', SendingTo: 'ada@lovelace.example' },
  texts: {
    en: {
      subject: 'Confirm your new email address',
      heading: 'Confirm your new email address',
      message:
        'Confirm that you want to change the email address of your {{ .SiteName }} account{{ if .Email }} from {{ .Email }}{{ end }}{{ if .NewEmail }} to {{ .NewEmail }}{{ end }}.',
      button: 'Confirm change',
      closing:
        'If you did not request this, ignore this email. Your email address does not change.',
    },
    de: {
      subject: 'Bestätigen Sie Ihre neue E-Mail-Adresse',
      heading: 'Bestätigen Sie Ihre neue E-Mail-Adresse',
      message:
        'Bestätigen Sie, dass Sie die E-Mail-Adresse Ihres Kontos bei {{ .SiteName }}{{ if .Email }} von {{ .Email }}{{ end }}{{ if .NewEmail }} in {{ .NewEmail }}{{ end }} ändern möchten.',
      button: 'Änderung bestätigen',
      closing:
        'Wenn Sie das nicht angefordert haben, ignorieren Sie diese E-Mail. Ihre E-Mail-Adresse bleibt unverändert.',
    },
    fr: {
      subject: 'Confirmez votre nouvelle adresse e-mail',
      heading: 'Confirmez votre nouvelle adresse e-mail',
      message:
        'Confirmez que vous souhaitez remplacer l’adresse e-mail de votre compte {{ .SiteName }}{{ if .Email }} ({{ .Email }}){{ end }}{{ if .NewEmail }} par {{ .NewEmail }}{{ end }}.',
      button: 'Confirmer la modification',
      closing:
        'Si vous n’êtes pas à l’origine de cette demande, ignorez cet e-mail. Votre adresse e-mail reste inchangée.',
    },
  },
}
