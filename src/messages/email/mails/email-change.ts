import type { MailTexts } from '../mail-text.ts'

/** Goes to the new address, and to the old one where both have to agree. */
export const emailChange: MailTexts = {
  en: {
    subject: 'Confirm your new email address',
    heading: 'Confirm your new email address',
    message:
      'You asked to change the email address of your account at {{ .SiteName }}{{ if .Email }} from {{ .Email }}{{ end }} to {{ .NewEmail }}. Please confirm the change.',
    button: 'Confirm change',
    closing: 'If it was not you, you can ignore this email. Your account stays as it is.',
  },
  de: {
    subject: 'Bestätigen Sie Ihre neue E-Mail-Adresse',
    heading: 'Bestätigen Sie Ihre neue E-Mail-Adresse',
    message:
      'Sie möchten die E-Mail-Adresse Ihres Kontos bei {{ .SiteName }}{{ if .Email }} von {{ .Email }}{{ end }} zu {{ .NewEmail }} ändern. Bitte bestätigen Sie die Änderung.',
    button: 'Änderung bestätigen',
    closing:
      'Wenn Sie das nicht waren, ignorieren Sie diese E-Mail einfach. Ihr Konto bleibt unverändert.',
  },
  fr: {
    subject: 'Confirmez votre nouvelle adresse e-mail',
    heading: 'Confirmez votre nouvelle adresse e-mail',
    message:
      'Vous avez demandé à modifier l’adresse e-mail de votre compte sur {{ .SiteName }}\u00a0: {{ if .Email }}{{ .Email }} sera remplacée par {{ end }}{{ .NewEmail }}. Veuillez confirmer cette modification.',
    button: 'Confirmer la modification',
    closing: 'Si ce n’était pas vous, vous pouvez ignorer cet e-mail. Votre compte reste inchangé.',
  },
}
