import { type AuditAction, auditActions } from './actions.ts'

/** The kinds that the wire sorts actions into. */
const logTypes = {
  account: ['login', 'logout', 'failed_sign_in', 'invite_accepted'],
  team: ['user_signedup', 'user_invited', 'user_deleted'],
  token: ['token_refreshed'],
  user: [
    ...(['user_modified', 'user_recovery_requested', 'user_reauthenticate_requested'] as const),
    ...(['identity_linked', 'identity_unlinked'] as const),
    ...(['passkey_created', 'passkey_updated', 'passkey_deleted'] as const),
    ...(['user_confirmation_requested', 'user_repeated_signup', 'user_updated_password'] as const),
  ],
  factor: [
    ...(['factor_in_progress', 'challenge_created', 'verification_attempted'] as const),
    ...([
      'factor_unenrolled',
      'factor_deleted',
      'factor_updated',
      'recovery_codes_generated',
    ] as const),
    ...(['trusted_device_added', 'trusted_device_used', 'trusted_device_removed'] as const),
  ],
} as const satisfies Record<string, readonly AuditAction[]>

export type AuditLogType = keyof typeof logTypes

type Sorted = (typeof logTypes)[AuditLogType][number]

const typeOf = Object.fromEntries(
  Object.entries(logTypes).flatMap(([type, actions]) => actions.map((action) => [action, type])),
) as Record<Sorted, AuditLogType>

/** A new action that no kind has does not compile. */
export const logTypeOf = (action: AuditAction): AuditLogType => typeOf[action]

const actionNames = Object.keys(auditActions) as AuditAction[]
const contains = (text: string, part: string): boolean => text.includes(part.toLowerCase())

/** The actions whose name has this text in it, in any letter case. */
export const actionsNamed = (part: string): AuditAction[] =>
  actionNames.filter((action) => contains(action, part))

/** The actions of the kinds whose name has this text in it, in any letter case. */
export const actionsOfType = (part: string): AuditAction[] =>
  actionNames.filter((action) => contains(logTypeOf(action), part))
