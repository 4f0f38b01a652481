import type { ActionMail, LinkMail, NotificationMail } from '../sections/email.ts'

/** A mail, as far as its settings go. */
export interface Mail<Name extends string> {
  name: Name
  /** How the environment spells it. */
  env: string
  defaultSubject: string
  /** Completes "the mail that …". */
  purpose: string
}

const mail = <const Name extends string>(
  name: Name,
  env: string,
  defaultSubject: string,
  purpose: string,
): Mail<Name> => ({ name, env, defaultSubject, purpose })

/** Mails with a link whose path can be set. */
export const linkMails: readonly Mail<LinkMail>[] = [
  mail('invite', 'INVITE', "You've been invited", 'invites somebody'),
  mail('confirmation', 'CONFIRMATION', 'Confirm your email address', 'confirms a sign-up'),
  mail('recovery', 'RECOVERY', 'Reset your password', 'recovers an account'),
  mail('magicLink', 'MAGIC_LINK', 'Your sign-in link', 'signs somebody in'),
  mail(
    'emailChange',
    'EMAIL_CHANGE',
    'Confirm your new email address',
    'confirms a change of address',
  ),
]

/** Mails that ask for something. */
export const actionMails: readonly Mail<ActionMail>[] = [
  ...linkMails,
  mail(
    'reauthentication',
    'REAUTHENTICATION',
    '{{ .Token }} is your verification code',
    'carries the code for a sensitive change',
  ),
]

/** Mails that tell of a change. */
export const notificationMails: readonly Mail<NotificationMail>[] = [
  mail(
    'passwordChanged',
    'PASSWORD_CHANGED',
    'Your password was changed',
    'tells of a new password',
  ),
  mail(
    'emailChanged',
    'EMAIL_CHANGED',
    'Your email address was changed',
    'tells of a new email address',
  ),
  mail(
    'phoneChanged',
    'PHONE_CHANGED',
    'Your phone number was changed',
    'tells of a new phone number',
  ),
  mail(
    'identityLinked',
    'IDENTITY_LINKED',
    'A new sign-in method was linked to your account.',
    'tells of a linked identity',
  ),
  mail(
    'identityUnlinked',
    'IDENTITY_UNLINKED',
    'A sign-in method was removed from your account.',
    'tells of an unlinked identity',
  ),
  mail(
    'mfaFactorEnrolled',
    'MFA_FACTOR_ENROLLED',
    'A new verification method was added to your account.',
    'tells of a new factor',
  ),
  mail(
    'mfaFactorUnenrolled',
    'MFA_FACTOR_UNENROLLED',
    'A verification method was removed from your account.',
    'tells of a removed factor',
  ),
]
