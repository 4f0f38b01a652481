import type { LinkMailDefinition } from './mail-definition.ts'

export const invite: LinkMailDefinition = {
  purpose: 'invites a user',
  messageType: 'invite',
  label: 'Invitation',
  linkType: 'invite',
  sample: {},
  texts: {
    en: {
      subject: "You've been invited",
      heading: 'You have been invited',
      message: 'Accept the invitation to create your {{ .SiteName }} account.',
      button: 'Accept invitation',
      closing: 'If you did not expect this invitation, ignore this email.',
    },
    de: {
      subject: 'Sie wurden eingeladen',
      heading: 'Sie wurden eingeladen',
      message: 'Nehmen Sie die Einladung an, um Ihr Konto bei {{ .SiteName }} zu erstellen.',
      button: 'Einladung annehmen',
      closing: 'Wenn Sie diese Einladung nicht erwartet haben, ignorieren Sie diese E-Mail.',
    },
    fr: {
      subject: 'Vous avez reçu une invitation',
      heading: 'Vous avez reçu une invitation',
      message: 'Acceptez l’invitation pour créer votre compte {{ .SiteName }}.',
      button: 'Accepter l’invitation',
      closing: 'Si vous n’attendiez pas cette invitation, ignorez cet e-mail.',
    },
  },
}
