import type { Language } from './languages.ts'

/**
 * What a built-in mail says in one language. Each text is a template; beside the variables of its kind
 * it may show `SiteName`.
 */
export interface MailText {
  subject: string
  heading: string
  /** What the mail is about. */
  message: string
  /** What the button says, in mails with a link. */
  button?: string
  /** What to do about a mail that was not expected. */
  closing: string
}

export type MailTexts = Readonly<Record<Language, MailText>>
