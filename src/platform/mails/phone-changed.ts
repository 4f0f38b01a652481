import type { MailDefinition } from './mail-definition.ts'

export const phoneChanged: MailDefinition = {
  purpose: 'reports a new phone number',
  messageType: 'phone_changed_notification',
  sample: { Phone: '4915123456789', OldPhone: '447700900123' },
  texts: {
    en: {
      subject: 'Your phone number was changed',
      heading: 'Your phone number was changed',
      message:
        'The phone number of your {{ .SiteName }} account ({{ .Email }}) was changed from +{{ .OldPhone }} to +{{ .Phone }}.',
      closing: 'If this was not you, contact support immediately.',
    },
    de: {
      subject: 'Ihre Telefonnummer wurde geändert',
      heading: 'Ihre Telefonnummer wurde geändert',
      message:
        'Die Telefonnummer Ihres Kontos bei {{ .SiteName }} ({{ .Email }}) wurde von +{{ .OldPhone }} in +{{ .Phone }} geändert.',
      closing: 'Wenn Sie das nicht waren, wenden Sie sich umgehend an den Support.',
    },
    fr: {
      subject: 'Votre numéro de téléphone a été modifié',
      heading: 'Votre numéro de téléphone a été modifié',
      message:
        'Le numéro de téléphone +{{ .OldPhone }} de votre compte {{ .SiteName }} ({{ .Email }}) a été remplacé par le +{{ .Phone }}.',
      closing: 'Si ce n’était pas vous, contactez immédiatement l’assistance.',
    },
  },
}
