import type { AuthContext } from '../../accounts/auth-context.ts'
import type { Address } from '../../accounts/users/addresses.ts'
import { assignAddress, confirmAddress } from '../../accounts/users/assign-address.ts'
import { mergeMetadata, requireMetadataFits } from '../../accounts/users/metadata.ts'
import { withoutPendingChanges, withoutPendingProofs } from '../../accounts/users/pending.ts'
import type { User } from '../../accounts/users/user.ts'
import { requireShort } from '../../platform/kit/storable-text.ts'
import type { UpdateUserInput } from './admin-users.endpoint.ts'

/** The changes that an operator requested, after parsing. */
export interface ReadChanges {
  addresses: readonly Address[]
  /** Null keeps the name. */
  username: string | null
  /** Null lifts a ban; undefined keeps it. */
  bannedUntil: Date | null | undefined
  passwordHash: string | null
}

/**
 * Returns the account with an operator's changes.
 *
 * @throws AuthError `validation_failed` (422) for metadata that is too large.
 */
export function changedUser(
  { clock, config, random }: Pick<AuthContext, 'clock' | 'config' | 'random'>,
  user: User,
  changes: UpdateUserInput,
  { addresses, username, bannedUntil, passwordHash }: ReadChanges,
): User {
  const needs = { random, now: clock.now() }
  const base = passwordHash === null ? user : withoutPendingProofs(user)
  // A new address must not complete a change that the former address confirmed. A ban also cancels
  // changes that the user's sessions requested.
  const isSettled = addresses.length > 0 || (bannedUntil ?? null) !== null
  const settled = isSettled ? withoutPendingChanges(base) : base
  const moved = addresses.reduce((one, address) => assignAddress(needs, one, address), settled)
  const proved = provedKinds(changes).reduce((one, kind) => confirmAddress(needs, one, kind), moved)
  const metadata = {
    appMetadata: merged(proved.appMetadata, changes.appMetadata),
    userMetadata: merged(proved.userMetadata, changes.userMetadata),
  }
  requireMetadataFits(config, metadata, proved)
  return {
    ...proved,
    ...metadata,
    username: username ?? proved.username,
    role: requireShort(changes.role?.trim() ?? '', 'role') || proved.role,
    bannedUntil: bannedUntil === undefined ? proved.bannedUntil : bannedUntil,
    updatedAt: needs.now,
  }
}

const provedKinds = ({ emailConfirm, phoneConfirm }: UpdateUserInput): Address['kind'][] => [
  ...(emailConfirm ? (['email'] as const) : []),
  ...(phoneConfirm ? (['phone'] as const) : []),
]

type Metadata = Record<string, unknown>

const merged = (current: Metadata, changes: Metadata | undefined): Metadata =>
  changes ? mergeMetadata(current, changes) : current
