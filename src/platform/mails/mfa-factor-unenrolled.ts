import { factorName } from './factor-name.ts'
import type { MailDefinition } from './mail-definition.ts'

export const mfaFactorUnenrolled: MailDefinition = {
  purpose: 'reports a removed factor',
  messageType: 'mfa_factor_unenrolled_notification',
  sample: { FactorType: 'webauthn' },
  texts: {
    en: {
      subject: 'A verification method was removed from your account.',
      heading: 'A verification method was removed from your account',
      message: `This verification method was removed from your {{ .SiteName }} account ({{ .Email }}): ${factorName.en}.`,
      closing: 'If you did not remove it, contact support immediately.',
    },
    de: {
      subject: 'Eine Bestätigungsmethode wurde aus Ihrem Konto entfernt.',
      heading: 'Eine Bestätigungsmethode wurde aus Ihrem Konto entfernt',
      message: `Diese Bestätigungsmethode wurde aus Ihrem Konto bei {{ .SiteName }} ({{ .Email }}) entfernt: ${factorName.de}.`,
      closing: 'Wenn Sie sie nicht entfernt haben, wenden Sie sich umgehend an den Support.',
    },
    fr: {
      subject: 'Une méthode de vérification a été supprimée de votre compte.',
      heading: 'Une méthode de vérification a été supprimée de votre compte',
      message: `Cette méthode de vérification a été supprimée de votre compte {{ .SiteName }} ({{ .Email }})\u00a0: ${factorName.fr}.`,
      closing: 'Si vous ne l’avez pas supprimée, contactez immédiatement l’assistance.',
    },
  },
}
