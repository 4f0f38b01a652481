import type { MailDefinition } from './mail-definition.ts'
import { signInMethodName } from './sign-in-method-name.ts'

export const identityLinked: MailDefinition = {
  purpose: 'reports a linked identity',
  messageType: 'identity_linked_notification',
  sample: { Provider: 'github' },
  texts: {
    en: {
      subject: 'A new sign-in method was linked to your account.',
      heading: 'A new sign-in method was linked to your account',
      message: `You can now sign in to your {{ .SiteName }} account ({{ .Email }}) with ${signInMethodName.en}.`,
      closing: 'If you did not add this sign-in method, remove it and contact support immediately.',
    },
    de: {
      subject: 'Ihrem Konto wurde eine neue Anmeldemethode hinzugefügt.',
      heading: 'Ihrem Konto wurde eine neue Anmeldemethode hinzugefügt',
      message: `Sie können sich jetzt mit ${signInMethodName.de} bei {{ .SiteName }} anmelden (Konto: {{ .Email }}).`,
      closing:
        'Wenn Sie diese Anmeldemethode nicht hinzugefügt haben, entfernen Sie sie und wenden Sie sich umgehend an den Support.',
    },
    fr: {
      subject: 'Une nouvelle méthode de connexion a été associée à votre compte.',
      heading: 'Une nouvelle méthode de connexion a été associée à votre compte',
      message: `Vous pouvez désormais vous connecter à votre compte {{ .SiteName }} ({{ .Email }}) avec ${signInMethodName.fr}.`,
      closing:
        'Si vous n’avez pas ajouté cette méthode de connexion, supprimez-la et contactez immédiatement l’assistance.',
    },
  },
}
