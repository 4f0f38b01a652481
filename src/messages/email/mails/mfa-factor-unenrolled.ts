import { factorName } from '../factor-name.ts'
import type { MailTexts } from '../mail-text.ts'

export const mfaFactorUnenrolled: MailTexts = {
  en: {
    subject: 'A verification method was removed from your account.',
    heading: 'A verification method was removed from your account',
    message: `Signing in to your account {{ .Email }} at {{ .SiteName }} is no longer verified with ${factorName.en}.`,
    closing: 'If it was not you, contact the support at once.',
  },
  de: {
    subject: 'Eine Bestätigungsmethode wurde aus Ihrem Konto entfernt.',
    heading: 'Eine Bestätigungsmethode wurde aus Ihrem Konto entfernt',
    message: `Die Anmeldung bei Ihrem Konto {{ .Email }} bei {{ .SiteName }} wird nicht mehr mit ${factorName.de} bestätigt.`,
    closing: 'Wenn Sie das nicht waren, wenden Sie sich sofort an den Support.',
  },
  fr: {
    subject: 'Une méthode de vérification a été supprimée de votre compte.',
    heading: 'Une méthode de vérification a été supprimée de votre compte',
    message: `La connexion à votre compte {{ .Email }} sur {{ .SiteName }} n’est plus vérifiée avec ${factorName.fr}.`,
    closing: 'Si ce n’était pas vous, contactez immédiatement l’assistance.',
  },
}
