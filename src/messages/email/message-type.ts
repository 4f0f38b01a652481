import type { MailKind } from './mail.ts'

/** What the kinds are called in headers and logs, where others look for these words. */
export const messageTypes: Readonly<Record<MailKind, string>> = {
  invite: 'invite',
  confirmation: 'confirmation',
  recovery: 'recovery',
  magicLink: 'magic_link',
  emailChange: 'email_change',
  reauthentication: 'reauthenticate',
  passwordChanged: 'password_changed_notification',
  emailChanged: 'email_changed_notification',
  phoneChanged: 'phone_changed_notification',
  identityLinked: 'identity_linked_notification',
  identityUnlinked: 'identity_unlinked_notification',
  mfaFactorEnrolled: 'mfa_factor_enrolled_notification',
  mfaFactorUnenrolled: 'mfa_factor_unenrolled_notification',
  mfaRecoveryCodeUsed: 'mfa_recovery_code_used_notification',
  trustedDeviceAdded: 'trusted_device_added_notification',
}
