import type { MailTexts } from '../mail-text.ts'

/** Goes to the old address. */
export const emailChanged: MailTexts = {
  en: {
    subject: 'Your email address was changed',
    heading: 'Your email address was changed',
    message:
      'The email address of your account at {{ .SiteName }} was changed from {{ .OldEmail }} to {{ .Email }}.',
    closing: 'If it was not you, contact the support at once.',
  },
  de: {
    subject: 'Ihre E-Mail-Adresse wurde geändert',
    heading: 'Ihre E-Mail-Adresse wurde geändert',
    message:
      'Die E-Mail-Adresse Ihres Kontos bei {{ .SiteName }} wurde von {{ .OldEmail }} zu {{ .Email }} geändert.',
    closing: 'Wenn Sie das nicht waren, wenden Sie sich sofort an den Support.',
  },
  fr: {
    subject: 'Votre adresse e-mail a été modifiée',
    heading: 'Votre adresse e-mail a été modifiée',
    message:
      'L’adresse e-mail de votre compte sur {{ .SiteName }} a été modifiée\u00a0: {{ .OldEmail }} a été remplacée par {{ .Email }}.',
    closing: 'Si ce n’était pas vous, contactez immédiatement l’assistance.',
  },
}
