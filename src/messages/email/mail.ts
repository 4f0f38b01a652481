import type { ActionMail, NotificationMail } from '../../config/sections/email.ts'

/** The mails: those that ask for something, and those that tell of a change. */
export type MailKind = ActionMail | NotificationMail

/** What a template may show, under the names that templates know. */
export interface MailVariables {
  SiteURL: string
  /** The user's address; for `emailChanged` the new one. */
  Email: string
  /** The user's own metadata. */
  Data: Readonly<Record<string, unknown>>
  /** The link. Not in `reauthentication` and notifications. */
  ConfirmationURL?: string
  /** The code that a person may type instead. */
  Token?: string
  /** The link's secret. */
  TokenHash?: string
  RedirectTo?: string
  /** `emailChange`: the requested address, and the one that this very mail goes to. */
  NewEmail?: string
  SendingTo?: string
  OldEmail?: string
  Phone?: string
  OldPhone?: string
  Provider?: string
  /** `totp`, `phone`, `webauthn` or `recovery_code`. */
  FactorType?: string
}

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
