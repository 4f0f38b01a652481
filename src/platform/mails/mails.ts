import {
  type CapabilityNotificationMail,
  capabilityNotificationMails,
} from '../capability-terms.ts'
import { confirmation } from './confirmation.ts'
import { credential } from './credential.ts'
import { emailChange } from './email-change.ts'
import { emailChanged } from './email-changed.ts'
import { identityLinked } from './identity-linked.ts'
import { identityUnlinked } from './identity-unlinked.ts'
import { invite } from './invite.ts'
import { magicLink } from './magic-link.ts'
import type { LinkMailDefinition, MailDefinition } from './mail-definition.ts'
import { mfaCode } from './mfa-code.ts'
import { mfaFactorEnrolled } from './mfa-factor-enrolled.ts'
import { mfaFactorUnenrolled } from './mfa-factor-unenrolled.ts'
import { mfaRecoveryCodeUsed } from './mfa-recovery-code-used.ts'
import { passwordChanged } from './password-changed.ts'
import { phoneChanged } from './phone-changed.ts'
import { reauthentication } from './reauthentication.ts'
import { recovery } from './recovery.ts'

// The kinds are listed because they are public types; the compiler compares them with the
// definitions.

/** Mails with a link and a code. The path of the link can be set. */
export type LinkMail =
  | 'invite'
  | 'confirmation'
  | 'recovery'
  | 'magicLink'
  | 'emailChange'
  | 'credential'

/** Mails that require an action of the recipient. */
export type ActionMail = LinkMail | 'reauthentication' | 'mfaCode'

/** Mails that report a change of the account. */
export type NotificationMail =
  | 'passwordChanged'
  | 'emailChanged'
  | 'phoneChanged'
  | 'identityLinked'
  | 'identityUnlinked'
  | 'mfaFactorEnrolled'
  | 'mfaFactorUnenrolled'
  | 'mfaRecoveryCodeUsed'
  | CapabilityNotificationMail

export type MailKind = ActionMail | NotificationMail

export const linkMails: Readonly<Record<LinkMail, LinkMailDefinition>> = {
  invite,
  confirmation,
  recovery,
  magicLink,
  emailChange,
  credential,
}

export const actionMails: Readonly<Record<ActionMail, MailDefinition>> = {
  ...linkMails,
  reauthentication,
  mfaCode,
}

export const notificationMails: Readonly<Record<NotificationMail, MailDefinition>> = {
  passwordChanged,
  emailChanged,
  phoneChanged,
  identityLinked,
  identityUnlinked,
  mfaFactorEnrolled,
  mfaFactorUnenrolled,
  mfaRecoveryCodeUsed,
  ...capabilityNotificationMails,
}

export const mails: Readonly<Record<MailKind, MailDefinition>> = {
  ...actionMails,
  ...notificationMails,
}

export const mailKinds = Object.keys(mails) as MailKind[]

export const linkMailKinds = Object.keys(linkMails) as LinkMail[]
