import type { MailDefinition } from '../../platform/mails/mail-definition.ts'

export const trustedDeviceAdded: MailDefinition = {
  purpose: 'reports a new trusted device',
  messageType: 'trusted_device_added_notification',
  sample: {},
  texts: {
    en: {
      subject: 'A trusted device was added to your account.',
      heading: 'A trusted device was added to your account',
      message:
        'A device that signed in to your {{ .SiteName }} account ({{ .Email }}) is now trusted. For a limited time, it can sign in without the second verification step.',
      closing: 'If this was not you, change your password and contact support immediately.',
    },
    de: {
      subject: 'Ihrem Konto wurde ein vertrauenswürdiges Gerät hinzugefügt.',
      heading: 'Ihrem Konto wurde ein vertrauenswürdiges Gerät hinzugefügt',
      message:
        'Ein Gerät, das bei {{ .SiteName }} angemeldet ist (Konto: {{ .Email }}), gilt jetzt als vertrauenswürdig. Für eine begrenzte Zeit entfällt auf diesem Gerät der zweite Schritt der Anmeldung.',
      closing:
        'Wenn Sie das nicht waren, ändern Sie Ihr Passwort und wenden Sie sich umgehend an den Support.',
    },
    fr: {
      subject: 'Un appareil de confiance a été ajouté à votre compte.',
      heading: 'Un appareil de confiance a été ajouté à votre compte',
      message:
        'Un appareil connecté à votre compte {{ .SiteName }} ({{ .Email }}) est désormais un appareil de confiance. Pendant une durée limitée, la seconde étape de connexion n’y est plus demandée.',
      closing:
        'Si ce n’était pas vous, changez votre mot de passe et contactez immédiatement l’assistance.',
    },
  },
}
