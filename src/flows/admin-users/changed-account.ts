import type { AuthContext } from '../../deps.ts'
import type { Account } from '../../users/account.ts'
import type { Address } from '../../users/addresses.ts'
import { assignAddress, confirmAddress } from '../../users/assign-address.ts'
import { mergeMetadata } from '../../users/metadata.ts'
import { withoutPendingProofs } from '../../users/without-pending-proofs.ts'
import type { UserChanges } from './user-input.ts'

/** What an operator asked for, once it was read. */
export interface ReadChanges {
  addresses: readonly Address[]
  /** Null lifts a ban; undefined leaves it. */
  bannedUntil: Date | null | undefined
  passwordHash: string | null
}

/** The account as an operator wants it. */
export function changedAccount(
  { clock, random }: Pick<AuthContext, 'clock' | 'random'>,
  account: Account,
  changes: UserChanges,
  { addresses, bannedUntil, passwordHash }: ReadChanges,
): Account {
  const needs = { random, now: clock.now() }
  const base = passwordHash === null ? account : withoutPendingProofs(account)
  const moved = addresses.reduce((one, address) => assignAddress(needs, one, address), base)
  const proved = provedKinds(changes).reduce((one, kind) => confirmAddress(needs, one, kind), moved)
  return {
    ...proved,
    role: changes.role?.trim() || proved.role,
    appMetadata: merged(proved.appMetadata, changes.appMetadata),
    userMetadata: merged(proved.userMetadata, changes.userMetadata),
    bannedUntil: bannedUntil === undefined ? proved.bannedUntil : bannedUntil,
    updatedAt: needs.now,
  }
}

const provedKinds = ({ emailConfirm, phoneConfirm }: UserChanges): Address['kind'][] => [
  ...(emailConfirm ? (['email'] as const) : []),
  ...(phoneConfirm ? (['phone'] as const) : []),
]

type Metadata = Record<string, unknown>

const merged = (current: Metadata, changes: Metadata | undefined): Metadata =>
  changes ? mergeMetadata(current, changes) : current
