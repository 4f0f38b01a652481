import { capabilityAuditActions } from '../../platform/capability-terms.ts'

/** The category of an action on the wire. */
export type AuditLogType = 'account' | 'team' | 'token' | 'user' | 'factor'

interface ActionDefinition {
  /** The value in the database. A number is never used again for another action. */
  number: number
  logType: AuditLogType
  /** The description in docs/audit.md. */
  recordedWhen: string
}

const define = <Name extends string>(actions: Record<Name, ActionDefinition>) => actions

/**
 * All actions. The documentation, the metric of acts and the filters of the audit log derive from
 * this table.
 */
export const auditActions = define({
  login: { number: 1, logType: 'account', recordedWhen: 'A user signed in.' },
  logout: {
    number: 2,
    logType: 'account',
    recordedWhen: 'Sessions ended by a sign-out, an operator or a hook.',
  },
  failed_sign_in: {
    number: 9,
    logType: 'account',
    recordedWhen: 'A password, passkey or suspended sign-in method was rejected.',
  },
  invite_accepted: {
    number: 16,
    logType: 'account',
    recordedWhen: 'An invited user signed in through a provider.',
  },
  user_signedup: {
    number: 3,
    logType: 'team',
    recordedWhen: 'An account was created, or its sign-up confirmed.',
  },
  user_invited: { number: 10, logType: 'team', recordedWhen: 'An operator sent an invitation.' },
  user_deleted: {
    number: 13,
    logType: 'team',
    recordedWhen:
      'An account was deleted: by its user, an operator or an import, as replaced or as stale.',
  },
  token_refreshed: { number: 8, logType: 'token', recordedWhen: 'A session was refreshed.' },
  user_modified: { number: 6, logType: 'user', recordedWhen: 'A user changed, or was banned.' },
  user_recovery_requested: {
    number: 11,
    logType: 'user',
    recordedWhen: 'A recovery, sign-in link or sign-in code was requested.',
  },
  user_reauthenticate_requested: {
    number: 12,
    logType: 'user',
    recordedWhen: 'A nonce for a sensitive change was requested.',
  },
  user_confirmation_requested: {
    number: 4,
    logType: 'user',
    recordedWhen: 'A message that confirms a sign-up was requested.',
  },
  user_repeated_signup: {
    number: 5,
    logType: 'user',
    recordedWhen: 'A sign-up used the address of an existing account.',
  },
  user_updated_password: { number: 7, logType: 'user', recordedWhen: 'A user set a password.' },
  identity_linked: {
    number: 14,
    logType: 'user',
    recordedWhen: 'An identity of a provider was linked.',
  },
  identity_unlinked: {
    number: 15,
    logType: 'user',
    recordedWhen: 'An identity of a provider was unlinked.',
  },
  passkey_created: { number: 26, logType: 'user', recordedWhen: 'A passkey was registered.' },
  passkey_updated: { number: 27, logType: 'user', recordedWhen: 'A passkey was renamed.' },
  passkey_deleted: {
    number: 28,
    logType: 'user',
    recordedWhen: 'A passkey was deleted by its user or an operator.',
  },
  factor_in_progress: {
    number: 20,
    logType: 'factor',
    recordedWhen: 'A factor was enrolled; it is not verified yet.',
  },
  challenge_created: {
    number: 21,
    logType: 'factor',
    recordedWhen: 'A challenge for a factor was created.',
  },
  verification_attempted: {
    number: 22,
    logType: 'factor',
    recordedWhen: 'A factor or recovery code was verified.',
  },
  factor_unenrolled: { number: 23, logType: 'factor', recordedWhen: 'A user removed a factor.' },
  factor_deleted: { number: 24, logType: 'factor', recordedWhen: 'An operator removed a factor.' },
  factor_updated: {
    number: 25,
    logType: 'factor',
    recordedWhen: 'An operator renamed a factor, or changed the number of a phone.',
  },
  recovery_codes_generated: {
    number: 29,
    logType: 'factor',
    recordedWhen: 'A set of recovery codes was generated.',
  },
  user_exported: {
    number: 60,
    logType: 'user',
    recordedWhen: 'The data of a user was exported, by an operator or the user.',
  },
  signing_key_rotated: {
    number: 61,
    logType: 'token',
    recordedWhen: 'An operator published a new signing key.',
  },
  signing_key_retired: {
    number: 65,
    logType: 'token',
    recordedWhen: 'An operator retired a signing key.',
  },
  root_keys_resealed: {
    number: 66,
    logType: 'token',
    recordedWhen: 'An operator sealed stored values with the current root key.',
  },
  service_token_issued: {
    number: 67,
    logType: 'token',
    recordedWhen: 'An operator issued a token for administration on the command line.',
  },
  message_retried: {
    number: 62,
    logType: 'team',
    recordedWhen: 'An operator retried a message of the outbox.',
  },
  message_discarded: {
    number: 63,
    logType: 'team',
    recordedWhen: 'An operator discarded a message of the outbox.',
  },
  ...capabilityAuditActions,
})

export type AuditAction = keyof typeof auditActions

const actionNames = Object.keys(auditActions) as AuditAction[]

const names = new Map(actionNames.map((name) => [auditActions[name].number, name]))

/**
 * Returns the action of a number; null for an action of a newer version, which writes to the same
 * database.
 */
export const actionOf = (number: number): AuditAction | null => names.get(number) ?? null

/** Returns the actions whose name contains this text, in any letter case. */
export const actionsNamed = (part: string): AuditAction[] =>
  actionNames.filter((action) => action.includes(part.toLowerCase()))

/** Returns the actions of the categories whose name contains this text, in any letter case. */
export const actionsOfType = (part: string): AuditAction[] =>
  actionNames.filter((action) => auditActions[action].logType.includes(part.toLowerCase()))
