import type { MailTexts } from '../mail-text.ts'

export const identityLinked: MailTexts = {
  en: {
    subject: 'A new sign-in method was linked to your account.',
    heading: 'A new sign-in method was linked to your account',
    message:
      'Your account {{ .Email }} at {{ .SiteName }} can now be signed in to with {{ .Provider }}.',
    closing: 'If it was not you, remove this sign-in method and contact the support at once.',
  },
  de: {
    subject: 'Ihrem Konto wurde eine neue Anmeldemethode hinzugefügt.',
    heading: 'Ihrem Konto wurde eine neue Anmeldemethode hinzugefügt',
    message:
      'Bei Ihrem Konto {{ .Email }} bei {{ .SiteName }} kann man sich jetzt mit {{ .Provider }} anmelden.',
    closing:
      'Wenn Sie das nicht waren, entfernen Sie diese Anmeldemethode und wenden Sie sich sofort an den Support.',
  },
  fr: {
    subject: 'Une nouvelle méthode de connexion a été associée à votre compte.',
    heading: 'Une nouvelle méthode de connexion a été associée à votre compte',
    message:
      'Il est désormais possible de se connecter à votre compte {{ .Email }} sur {{ .SiteName }} avec {{ .Provider }}.',
    closing:
      'Si ce n’était pas vous, supprimez cette méthode de connexion et contactez immédiatement l’assistance.',
  },
}
