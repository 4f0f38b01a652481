import type { LinkMailDefinition } from './mail-definition.ts'

/** Also sent when an unknown address requests a sign-in link or code. */
export const confirmation: LinkMailDefinition = {
  purpose: 'confirms a sign-up',
  messageType: 'confirmation',
  label: 'Confirmation',
  linkType: 'signup',
  sample: {},
  texts: {
    en: {
      subject: 'Confirm your email address',
      heading: 'Confirm your email address',
      message: 'Confirm {{ .Email }} to use it for your {{ .SiteName }} account.',
      button: 'Confirm email address',
      closing: 'If you did not request this, ignore this email.',
    },
    de: {
      subject: 'Bestätigen Sie Ihre E-Mail-Adresse',
      heading: 'Bestätigen Sie Ihre E-Mail-Adresse',
      message:
        'Bestätigen Sie {{ .Email }}, um diese Adresse für Ihr Konto bei {{ .SiteName }} zu verwenden.',
      button: 'E-Mail-Adresse bestätigen',
      closing: 'Wenn Sie das nicht angefordert haben, ignorieren Sie diese E-Mail.',
    },
    fr: {
      subject: 'Confirmez votre adresse e-mail',
      heading: 'Confirmez votre adresse e-mail',
      message:
        'Confirmez {{ .Email }} pour utiliser cette adresse avec votre compte {{ .SiteName }}.',
      button: 'Confirmer l’adresse e-mail',
      closing: 'Si vous n’êtes pas à l’origine de cette demande, ignorez cet e-mail.',
    },
  },
}
