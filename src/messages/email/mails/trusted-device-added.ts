import type { MailTexts } from '../mail-text.ts'

export const trustedDeviceAdded: MailTexts = {
  en: {
    subject: 'A device is trusted to sign in to your account.',
    heading: 'A device is trusted to sign in to your account',
    message:
      'When somebody signs in to your account {{ .Email }} at {{ .SiteName }} on a device that was just used, a second proof is not asked for again for a while.',
    closing: 'If it was not you, change your password at once and contact the support.',
  },
  de: {
    subject: 'Für Ihr Konto wurde ein Gerät als vertrauenswürdig eingestuft.',
    heading: 'Für Ihr Konto wurde ein Gerät als vertrauenswürdig eingestuft',
    message:
      'Bei der Anmeldung bei Ihrem Konto {{ .Email }} bei {{ .SiteName }} wird auf einem eben benutzten Gerät eine Zeit lang keine zweite Bestätigung verlangt.',
    closing:
      'Wenn Sie das nicht waren, ändern Sie sofort Ihr Passwort und wenden Sie sich an den Support.',
  },
  fr: {
    subject: 'Un appareil est devenu un appareil de confiance de votre compte.',
    heading: 'Un appareil est devenu un appareil de confiance de votre compte',
    message:
      'Lors de la connexion à votre compte {{ .Email }} sur {{ .SiteName }}, une seconde vérification n’est plus demandée pendant un certain temps sur un appareil qui vient d’être utilisé.',
    closing:
      'Si ce n’était pas vous, changez immédiatement votre mot de passe et contactez l’assistance.',
  },
}
