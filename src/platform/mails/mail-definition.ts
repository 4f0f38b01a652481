import type { FactorType } from '../factor-kinds/factor-kinds.ts'
import type { Language } from '../kit/languages.ts'

/** A mail: its texts, and its names in settings, headers, logs and the development mailbox. */
export interface MailDefinition {
  /** Completes "the mail that …" in the descriptions of its settings. */
  purpose: string
  /** The kind in headers and logs, and the action that a hook receives for a notification. */
  messageType: string
  /** The name in the development mailbox. Default: `Notification`. */
  label?: string
  /** The variables of a preview, in addition to those of all mails and of its link. */
  sample: Partial<MailVariables>
  texts: MailTexts
}

/** A mail with a link and a code. */
export interface LinkMailDefinition extends MailDefinition {
  linkType: ActionLinkType
}

/** The action of a link, by its wire name. */
export type ActionLinkType =
  | 'signup'
  | 'invite'
  | 'recovery'
  | 'magiclink'
  | 'email_change'
  | 'credential'

/** The texts of a mail by language. The English subject is the default of its setting. */
export type MailTexts = Readonly<Record<Language, MailText>>

/**
 * The built-in texts of a mail in one language. Each is a template with the variables of the mail,
 * and `SiteName`.
 */
export interface MailText {
  subject: string
  heading: string
  message: string
  /** The label of the button, in mails with a link. */
  button?: string
  /** The last paragraph: the remedy if the recipient did not cause the mail. */
  closing: string
}

/** The variables of templates, by the names that templates use. */
export interface MailVariables {
  SiteURL: string
  /** The user's address; for `emailChanged` the new one. */
  Email: string
  /** The user's own metadata. */
  Data: Readonly<Record<string, unknown>>
  /** The link. Not in `reauthentication` and notifications. */
  ConfirmationURL?: string
  /** The code that a user may type instead. */
  Token?: string
  /** The link's secret. */
  TokenHash?: string
  RedirectTo?: string
  /** `emailChange`: the requested address, and the recipient. */
  NewEmail?: string
  SendingTo?: string
  OldEmail?: string
  Phone?: string
  OldPhone?: string
  /** For `credential`, the name of the sign-in method; else its id, such as `github` or `phone`. */
  Provider?: string
  /** For `identityLinked` and `identityUnlinked`, the name of the provider, where it is known. */
  ProviderName?: string
  /** The type of the factor. */
  FactorType?: FactorType
}
