import type { MailTexts } from '../mail-text.ts'

export const invite: MailTexts = {
  en: {
    subject: "You've been invited",
    heading: 'You have been invited',
    message: 'You have been invited to create an account at {{ .SiteName }}.',
    button: 'Accept invitation',
    closing: 'If you do not know what this is about, you can ignore this email.',
  },
  de: {
    subject: 'Sie wurden eingeladen',
    heading: 'Sie wurden eingeladen',
    message: 'Sie wurden eingeladen, ein Konto bei {{ .SiteName }} anzulegen.',
    button: 'Einladung annehmen',
    closing: 'Wenn Sie damit nichts anfangen können, ignorieren Sie diese E-Mail einfach.',
  },
  fr: {
    subject: 'Vous avez reçu une invitation',
    heading: 'Vous avez reçu une invitation',
    message: 'Vous êtes invité à créer un compte sur {{ .SiteName }}.',
    button: 'Accepter l’invitation',
    closing: 'Si vous ne savez pas de quoi il s’agit, vous pouvez ignorer cet e-mail.',
  },
}
