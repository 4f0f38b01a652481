import type { MailDefinition } from './mail-definition.ts'
import { signInMethodName } from './sign-in-method-name.ts'

export const identityUnlinked: MailDefinition = {
  purpose: 'reports an unlinked identity',
  messageType: 'identity_unlinked_notification',
  sample: { Provider: 'github' },
  texts: {
    en: {
      subject: 'A sign-in method was removed from your account.',
      heading: 'A sign-in method was removed from your account',
      message: `You can no longer sign in to your {{ .SiteName }} account ({{ .Email }}) with ${signInMethodName.en}.`,
      closing: 'If you did not remove this sign-in method, contact support immediately.',
    },
    de: {
      subject: 'Eine Anmeldemethode wurde aus Ihrem Konto entfernt.',
      heading: 'Eine Anmeldemethode wurde aus Ihrem Konto entfernt',
      message: `Sie können sich nicht mehr mit ${signInMethodName.de} bei {{ .SiteName }} anmelden (Konto: {{ .Email }}).`,
      closing:
        'Wenn Sie diese Anmeldemethode nicht entfernt haben, wenden Sie sich umgehend an den Support.',
    },
    fr: {
      subject: 'Une méthode de connexion a été supprimée de votre compte.',
      heading: 'Une méthode de connexion a été supprimée de votre compte',
      message: `Vous ne pouvez plus vous connecter à votre compte {{ .SiteName }} ({{ .Email }}) avec ${signInMethodName.fr}.`,
      closing:
        'Si vous n’avez pas supprimé cette méthode de connexion, contactez immédiatement l’assistance.',
    },
  },
}
