import type { MailTexts } from '../mail-text.ts'

export const identityUnlinked: MailTexts = {
  en: {
    subject: 'A sign-in method was removed from your account.',
    heading: 'A sign-in method was removed from your account',
    message:
      'Your account {{ .Email }} at {{ .SiteName }} can no longer be signed in to with {{ .Provider }}.',
    closing: 'If it was not you, contact the support at once.',
  },
  de: {
    subject: 'Eine Anmeldemethode wurde aus Ihrem Konto entfernt.',
    heading: 'Eine Anmeldemethode wurde aus Ihrem Konto entfernt',
    message:
      'Bei Ihrem Konto {{ .Email }} bei {{ .SiteName }} kann man sich nicht mehr mit {{ .Provider }} anmelden.',
    closing: 'Wenn Sie das nicht waren, wenden Sie sich sofort an den Support.',
  },
  fr: {
    subject: 'Une méthode de connexion a été supprimée de votre compte.',
    heading: 'Une méthode de connexion a été supprimée de votre compte',
    message:
      'Il n’est plus possible de se connecter à votre compte {{ .Email }} sur {{ .SiteName }} avec {{ .Provider }}.',
    closing: 'Si ce n’était pas vous, contactez immédiatement l’assistance.',
  },
}
