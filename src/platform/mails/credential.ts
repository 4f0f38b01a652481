import type { LinkMailDefinition } from './mail-definition.ts'

/**
 * Confirms a passkey, wallet or provider identity that is older than the first confirmed address of
 * its account.
 */
export const credential: LinkMailDefinition = {
  purpose: 'confirms a suspended sign-in method',
  messageType: 'credential',
  label: 'Sign-in method',
  linkType: 'credential',
  sample: { Provider: 'GitHub (ada@example.com)' },
  texts: {
    en: {
      subject: 'Confirm a sign-in method',
      heading: 'Confirm a sign-in method',
      message:
        'Confirm this sign-in method to use it for your {{ .SiteName }} account: {{ .Provider }}. It was added before you confirmed this email address. Confirm it only if you added it yourself.',
      button: 'Confirm sign-in method',
      closing:
        'Until you confirm it, this method cannot be used to sign in. If you did not add it, remove it from your account.',
    },
    de: {
      subject: 'Bestätigen Sie eine Anmeldemethode',
      heading: 'Bestätigen Sie eine Anmeldemethode',
      message:
        'Bestätigen Sie diese Anmeldemethode, um sie für Ihr Konto bei {{ .SiteName }} zu verwenden: {{ .Provider }}. Sie wurde hinzugefügt, bevor Sie diese E-Mail-Adresse bestätigt haben. Bestätigen Sie sie nur, wenn Sie sie selbst hinzugefügt haben.',
      button: 'Anmeldemethode bestätigen',
      closing:
        'Solange Sie diese Methode nicht bestätigt haben, ist damit keine Anmeldung möglich. Wenn Sie sie nicht hinzugefügt haben, entfernen Sie sie aus Ihrem Konto.',
    },
    fr: {
      subject: 'Confirmez une méthode de connexion',
      heading: 'Confirmez une méthode de connexion',
      message:
        'Confirmez cette méthode de connexion pour l’utiliser avec votre compte {{ .SiteName }}\u00a0: {{ .Provider }}. Elle a été ajoutée avant que vous ne confirmiez cette adresse e-mail. Ne la confirmez que si vous l’avez ajoutée vous-même.',
      button: 'Confirmer la méthode',
      closing:
        'Tant que vous ne l’avez pas confirmée, elle ne permet pas de se connecter. Si vous ne l’avez pas ajoutée, supprimez-la de votre compte.',
    },
  },
}
