import type { MailTexts } from '../mail-text.ts'

export const phoneChanged: MailTexts = {
  en: {
    subject: 'Your phone number was changed',
    heading: 'Your phone number was changed',
    message:
      'The phone number of your account {{ .Email }} at {{ .SiteName }} was changed from +{{ .OldPhone }} to +{{ .Phone }}.',
    closing: 'If it was not you, contact the support at once.',
  },
  de: {
    subject: 'Ihre Telefonnummer wurde geändert',
    heading: 'Ihre Telefonnummer wurde geändert',
    message:
      'Die Telefonnummer Ihres Kontos {{ .Email }} bei {{ .SiteName }} wurde von +{{ .OldPhone }} zu +{{ .Phone }} geändert.',
    closing: 'Wenn Sie das nicht waren, wenden Sie sich sofort an den Support.',
  },
  fr: {
    subject: 'Votre numéro de téléphone a été modifié',
    heading: 'Votre numéro de téléphone a été modifié',
    message:
      'Le numéro de téléphone de votre compte {{ .Email }} sur {{ .SiteName }} a été modifié\u00a0: +{{ .OldPhone }} a été remplacé par +{{ .Phone }}.',
    closing: 'Si ce n’était pas vous, contactez immédiatement l’assistance.',
  },
}
