import { factorName } from '../factor-name.ts'
import type { MailTexts } from '../mail-text.ts'

export const mfaFactorEnrolled: MailTexts = {
  en: {
    subject: 'A new verification method was added to your account.',
    heading: 'A new verification method was added to your account',
    message: `Signing in to your account {{ .Email }} at {{ .SiteName }} can now be verified with ${factorName.en}.`,
    closing: 'If it was not you, remove this method and contact the support at once.',
  },
  de: {
    subject: 'Ihrem Konto wurde eine neue Bestätigungsmethode hinzugefügt.',
    heading: 'Ihrem Konto wurde eine neue Bestätigungsmethode hinzugefügt',
    message: `Die Anmeldung bei Ihrem Konto {{ .Email }} bei {{ .SiteName }} kann jetzt mit ${factorName.de} bestätigt werden.`,
    closing:
      'Wenn Sie das nicht waren, entfernen Sie diese Methode und wenden Sie sich sofort an den Support.',
  },
  fr: {
    subject: 'Une nouvelle méthode de vérification a été ajoutée à votre compte.',
    heading: 'Une nouvelle méthode de vérification a été ajoutée à votre compte',
    message: `La connexion à votre compte {{ .Email }} sur {{ .SiteName }} peut désormais être vérifiée avec ${factorName.fr}.`,
    closing:
      'Si ce n’était pas vous, supprimez cette méthode et contactez immédiatement l’assistance.',
  },
}
