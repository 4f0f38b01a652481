import type { ActionLinkType, MailVariables } from '../../platform/mails/mail-definition.ts'
import { type LinkMail, linkMails, type MailKind, mails } from '../../platform/mails/mails.ts'

/** A mail as data. It is rendered when it is sent. */
export interface Mail {
  kind: MailKind
  to: string
  /** Tags of BCP 47, the most preferred first; empty if none are known. */
  languages: readonly string[]
  variables: MailVariables
}

export interface RenderedMail {
  kind: MailKind
  to: string
  subject: string
  html: string
  text: string
}

/** Returns a mail of this kind to a user who does not exist, for previews. */
export const sampleMail = (kind: MailKind, siteUrl: string, language: string): Mail => ({
  kind,
  to: 'ada@example.com',
  languages: [language],
  variables: {
    SiteURL: siteUrl,
    Email: 'ada@example.com',
    Data: { first_name: 'Ada', last_name: 'Lovelace' },
    ...(isLinkMail(kind) && sampleLink(linkMails[kind].linkType)),
    ...mails[kind].sample,
  },
})

const isLinkMail = (kind: MailKind): kind is LinkMail => kind in linkMails

function sampleLink(type: ActionLinkType): Partial<MailVariables> {
  const hash = '5f0c6b1e9d3a47f28b6c0e1d2a3f4b5c6d7e8f901a2b3c4d5e6f7a8b'
  return {
    ConfirmationURL: `https://auth.example.com/verify?token=${hash}&type=${type}&redirect_to=https://app.example.com/welcome`,
    Token: '417309',
    TokenHash: hash,
    RedirectTo: 'https://app.example.com/welcome',
  }
}
