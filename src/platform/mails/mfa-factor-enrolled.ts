import { factorName } from './factor-name.ts'
import type { MailDefinition } from './mail-definition.ts'

export const mfaFactorEnrolled: MailDefinition = {
  purpose: 'reports a new factor',
  messageType: 'mfa_factor_enrolled_notification',
  sample: { FactorType: 'totp' },
  texts: {
    en: {
      subject: 'A new verification method was added to your account.',
      heading: 'A new verification method was added to your account',
      message: `You can now verify sign-ins to your {{ .SiteName }} account ({{ .Email }}) with a new method: ${factorName.en}.`,
      closing:
        'If you did not add this verification method, remove it and contact support immediately.',
    },
    de: {
      subject: 'Ihrem Konto wurde eine neue Bestätigungsmethode hinzugefügt.',
      heading: 'Ihrem Konto wurde eine neue Bestätigungsmethode hinzugefügt',
      message: `Sie können Anmeldungen bei {{ .SiteName }} (Konto: {{ .Email }}) jetzt mit einer neuen Methode bestätigen: ${factorName.de}.`,
      closing:
        'Wenn Sie diese Bestätigungsmethode nicht hinzugefügt haben, entfernen Sie sie und wenden Sie sich umgehend an den Support.',
    },
    fr: {
      subject: 'Une nouvelle méthode de vérification a été ajoutée à votre compte.',
      heading: 'Une nouvelle méthode de vérification a été ajoutée à votre compte',
      message: `Vous pouvez désormais valider vos connexions à votre compte {{ .SiteName }} ({{ .Email }}) avec une nouvelle méthode\u00a0: ${factorName.fr}.`,
      closing:
        'Si vous n’avez pas ajouté cette méthode de vérification, supprimez-la et contactez immédiatement l’assistance.',
    },
  },
}
