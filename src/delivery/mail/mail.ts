import type { MailVariables } from '../../platform/mails/mail-definition.ts'
import type { MailKind } from '../../platform/mails/mails.ts'

/** A mail as data. It is rendered when it is sent. */
export interface Mail {
  kind: MailKind
  to: string
  /** Tags of BCP 47, the most preferred first; empty if none are known. */
  languages: readonly string[]
  variables: MailVariables
}

/** A rendered mail. */
export interface RenderedMail {
  kind: MailKind
  to: string
  subject: string
  html: string
  text: string
}
