import type { MailVariables } from '../../platform/mails/mail-definition.ts'
import type { MailKind } from '../../platform/mails/mails.ts'

/** A mail as data. It becomes text when it is sent. */
export interface Mail {
  kind: MailKind
  to: string
  /** Tags of BCP 47, the most wanted first; empty where nothing is known. */
  languages: readonly string[]
  variables: MailVariables
}

/** A mail as it leaves. */
export interface RenderedMail {
  kind: MailKind
  to: string
  subject: string
  html: string
  text: string
}
