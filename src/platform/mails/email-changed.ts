import type { MailDefinition } from './mail-definition.ts'

/** Sent to the previous address. */
export const emailChanged: MailDefinition = {
  purpose: 'reports a new email address',
  messageType: 'email_changed_notification',
  sample: { Email: 'ada@lovelace.example', OldEmail: 'ada@example.com' },
  texts: {
    en: {
      subject: 'Your email address was changed',
      heading: 'Your email address was changed',
      message:
        'The email address of your {{ .SiteName }} account was changed from {{ .OldEmail }}{{ if .Email }} to {{ .Email }}{{ end }}.',
      closing: 'If this was not you, contact support immediately.',
    },
    de: {
      subject: 'Ihre E-Mail-Adresse wurde geändert',
      heading: 'Ihre E-Mail-Adresse wurde geändert',
      message:
        'Die E-Mail-Adresse Ihres Kontos bei {{ .SiteName }} wurde von {{ .OldEmail }}{{ if .Email }} in {{ .Email }}{{ end }} geändert.',
      closing: 'Wenn Sie das nicht waren, wenden Sie sich umgehend an den Support.',
    },
    fr: {
      subject: 'Votre adresse e-mail a été modifiée',
      heading: 'Votre adresse e-mail a été modifiée',
      message:
        'L’adresse e-mail de votre compte {{ .SiteName }} ({{ .OldEmail }}) a été remplacée{{ if .Email }} par {{ .Email }}{{ end }}.',
      closing: 'Si ce n’était pas vous, contactez immédiatement l’assistance.',
    },
  },
}
