import type { LinkMailDefinition } from './mail-definition.ts'

export const magicLink: LinkMailDefinition = {
  purpose: 'signs a user in',
  messageType: 'magic_link',
  label: 'Sign-in',
  linkType: 'magiclink',
  sample: {},
  texts: {
    en: {
      subject: 'Your sign-in link',
      heading: 'Sign in to {{ .SiteName }}',
      message: 'Use this link to sign in to your account. It works only once.',
      button: 'Sign in',
      closing:
        'Do not forward this email: anyone who has it can sign in to your account. If you did not request it, ignore it.',
    },
    de: {
      subject: 'Ihr Anmeldelink',
      heading: 'Melden Sie sich bei {{ .SiteName }} an',
      message: 'Mit diesem Link melden Sie sich in Ihrem Konto an. Er funktioniert nur einmal.',
      button: 'Anmelden',
      closing:
        'Leiten Sie diese E-Mail nicht weiter: Wer sie hat, kann sich in Ihrem Konto anmelden. Wenn Sie sie nicht angefordert haben, ignorieren Sie sie.',
    },
    fr: {
      subject: 'Votre lien de connexion',
      heading: 'Connectez-vous à {{ .SiteName }}',
      message:
        'Utilisez ce lien pour vous connecter à votre compte. Il ne fonctionne qu’une seule fois.',
      button: 'Se connecter',
      closing:
        'Ne transférez pas cet e-mail\u00a0: toute personne qui l’a en sa possession peut se connecter à votre compte. Si vous ne l’avez pas demandé, ignorez-le.',
    },
  },
}
