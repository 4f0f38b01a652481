import type { MailTexts } from '../mail-text.ts'

export const magicLink: MailTexts = {
  en: {
    subject: 'Your sign-in link',
    heading: 'Sign in to {{ .SiteName }}',
    message: 'Here is the link that you asked for. It signs you in once.',
    button: 'Sign in',
    closing:
      'If you did not ask for it, you can ignore this email. Pass it on to nobody: whoever has it can sign in as you.',
  },
  de: {
    subject: 'Ihr Anmeldelink',
    heading: 'Bei {{ .SiteName }} anmelden',
    message:
      'Hier ist der Link, den Sie angefordert haben. Mit ihm können Sie sich einmal anmelden.',
    button: 'Anmelden',
    closing:
      'Wenn Sie ihn nicht angefordert haben, ignorieren Sie diese E-Mail einfach. Geben Sie sie nicht weiter: Wer sie hat, kann sich als Sie anmelden.',
  },
  fr: {
    subject: 'Votre lien de connexion',
    heading: 'Connexion à {{ .SiteName }}',
    message:
      'Voici le lien que vous avez demandé. Il vous permet de vous connecter une seule fois.',
    button: 'Se connecter',
    closing:
      'Si vous ne l’avez pas demandé, vous pouvez ignorer cet e-mail. Ne le transmettez à personne\u00a0: il permet de se connecter à votre place.',
  },
}
