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

/** All mails of a sort, of which the compiler finds one that is missing. */
const mails = <Name extends string>(
  described: Readonly<Record<Name, readonly [defaultSubject: string, purpose: string]>>,
): readonly Mail<Name>[] =>
  (Object.keys(described) as Name[]).map((name) => {
    const [defaultSubject, purpose] = described[name]
    return { name, env: envOf(name), defaultSubject, purpose }
  })

/** `magicLink` → `MAGIC_LINK` */
const envOf = (name: string): string => name.replaceAll(/[A-Z]/g, '_$&').toUpperCase()

/** Mails with a link whose path can be set. */
export const linkMails = mails<LinkMail>({
  invite: ["You've been invited", 'invites somebody'],
  confirmation: ['Confirm your email address', 'confirms a sign-up'],
  recovery: ['Reset your password', 'recovers an account'],
  magicLink: ['Your sign-in link', 'signs somebody in'],
  emailChange: ['Confirm your new email address', 'confirms a change of address'],
})

/** Mails that ask for something. */
export const actionMails: readonly Mail<ActionMail>[] = [
  ...linkMails,
  ...mails<Exclude<ActionMail, LinkMail>>({
    reauthentication: [
      '{{ .Token }} is your verification code',
      'carries the code for a sensitive change',
    ],
  }),
]

/** Mails that tell of a change. */
export const notificationMails = mails<NotificationMail>({
  passwordChanged: ['Your password was changed', 'tells of a new password'],
  emailChanged: ['Your email address was changed', 'tells of a new email address'],
  phoneChanged: ['Your phone number was changed', 'tells of a new phone number'],
  identityLinked: [
    'A new sign-in method was linked to your account.',
    'tells of a linked identity',
  ],
  identityUnlinked: [
    'A sign-in method was removed from your account.',
    'tells of an unlinked identity',
  ],
  mfaFactorEnrolled: [
    'A new verification method was added to your account.',
    'tells of a new factor',
  ],
  mfaFactorUnenrolled: [
    'A verification method was removed from your account.',
    'tells of a removed factor',
  ],
  mfaRecoveryCodeUsed: [
    'A recovery code was used to sign in to your account.',
    'tells of a recovery code that was used',
  ],
  trustedDeviceAdded: [
    'A device is trusted to sign in to your account.',
    'tells of a device that is trusted',
  ],
})
