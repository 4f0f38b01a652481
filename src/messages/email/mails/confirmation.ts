import type { MailTexts } from '../mail-text.ts'

/** Also answers a sign-in by link or code with an address that nobody has signed up with yet. */
export const confirmation: MailTexts = {
  en: {
    subject: 'Confirm your email address',
    heading: 'Confirm your email address',
    message: 'Please confirm that {{ .Email }} is your address, to use it at {{ .SiteName }}.',
    button: 'Confirm email address',
    closing:
      'If you did not sign up, you can ignore this email. Nothing happens without your confirmation.',
  },
  de: {
    subject: 'Bestätigen Sie Ihre E-Mail-Adresse',
    heading: 'Bestätigen Sie Ihre E-Mail-Adresse',
    message:
      'Bitte bestätigen Sie, dass {{ .Email }} Ihre Adresse ist, um sie bei {{ .SiteName }} zu verwenden.',
    button: 'E-Mail-Adresse bestätigen',
    closing:
      'Wenn Sie sich nicht registriert haben, ignorieren Sie diese E-Mail einfach. Ohne Ihre Bestätigung geschieht nichts.',
  },
  fr: {
    subject: 'Confirmez votre adresse e-mail',
    heading: 'Confirmez votre adresse e-mail',
    message:
      'Veuillez confirmer que {{ .Email }} est bien votre adresse, afin de l’utiliser sur {{ .SiteName }}.',
    button: 'Confirmer l’adresse e-mail',
    closing:
      'Si vous ne vous êtes pas inscrit, vous pouvez ignorer cet e-mail. Rien ne se passera sans votre confirmation.',
  },
}
