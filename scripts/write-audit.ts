/** Writes the table of actions into docs/audit.md: `npm run docs`. */

import type { AuditAction } from '../src/accounts/audit/actions.ts'
import { logTypeOf } from '../src/accounts/audit/log-types.ts'
import { code, pageWithTable, renderTable } from './page-table.ts'

const recordedWhen: Readonly<Record<AuditAction, string>> = {
  login: 'A user signed in.',
  logout: 'Sessions ended by a sign-out, an operator or a hook.',
  failed_sign_in: 'A password, passkey or suspended sign-in method was rejected.',
  invite_accepted: 'An invited user signed in through a provider.',
  user_signedup: 'An account was created, or its sign-up confirmed.',
  user_invited: 'An operator sent an invitation.',
  user_deleted:
    'An account was deleted: by its user, an operator or an import, as replaced or as stale.',
  token_refreshed: 'A session was refreshed.',
  user_modified: 'A user changed, or was banned.',
  user_recovery_requested: 'A recovery, sign-in link or sign-in code was requested.',
  user_reauthenticate_requested: 'A nonce for a sensitive change was requested.',
  user_confirmation_requested: 'A message that confirms a sign-up was requested.',
  user_repeated_signup: 'A sign-up used the address of an existing account.',
  user_updated_password: 'A user set a password.',
  identity_linked: 'An identity of a provider was linked.',
  identity_unlinked: 'An identity of a provider was unlinked.',
  passkey_created: 'A passkey was registered.',
  passkey_updated: 'A passkey was renamed.',
  passkey_deleted: 'A passkey was deleted by its user or an operator.',
  factor_in_progress: 'A factor was enrolled; it is not verified yet.',
  challenge_created: 'A challenge for a factor was created.',
  verification_attempted: 'A factor or recovery code was verified.',
  factor_unenrolled: 'A user removed a factor.',
  factor_deleted: 'An operator removed a factor.',
  factor_updated: 'An operator renamed a factor.',
  recovery_codes_generated: 'A set of recovery codes was generated.',
  trusted_device_added: 'A user trusted a device.',
  trusted_device_used: 'A trusted device raised a session to `aal2`.',
  trusted_device_removed: 'The trust in a device was revoked.',
}

export function renderAudit(): string {
  const actions = Object.keys(recordedWhen) as AuditAction[]
  const byKind = Map.groupBy(actions, logTypeOf)
  const rows = [...byKind].flatMap(([kind, ofKind]) =>
    ofKind.map((action) => [code(action), code(kind), recordedWhen[action]]),
  )
  const table = renderTable(['Action', 'Kind', 'Recorded when'], rows)
  return pageWithTable('audit.md', 'write-audit.ts', table)
}
