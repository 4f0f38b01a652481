import type { ResolvedJwt } from '../../platform/config/sections/tokens.ts'
import type { RootKeys } from '../../platform/kit/derived-keys.ts'
import { configuredKeyRing, type KeyRing } from './key-ring.ts'
import { type ManagedKeyRing, type ManagedKeysNeeds, openManagedKeys } from './managed-keys.ts'
import type { RotationPlan } from './rotate-signing-keys.ts'

/** A ring, and what ends its upkeep. */
export interface OpenKeyRing extends Pick<ManagedKeyRing, 'renewIfOld' | 'stop'> {
  keys: KeyRing
  /** Has keys looked at that others may have changed; null where they never change. */
  reload: (() => void) | null
}

/** The configured keys, or, where there are none, those that Latchkey makes and replaces itself. */
export async function openKeyRing(jwt: ResolvedJwt, needs: ManagedKeysNeeds): Promise<OpenKeyRing> {
  const configured = configuredKeyRing(jwt)
  if (configured)
    return { keys: configured, reload: null, renewIfOld: async () => {}, stop: () => {} }
  const managed = await openManagedKeys(needs, rotationPlan(jwt))
  const { reload, renewIfOld, stop } = managed
  return { keys: managed, reload, renewIfOld, stop }
}

export const rotationPlan = ({
  algorithm,
  rotation,
  lifetimeSeconds,
}: ResolvedJwt): RotationPlan => ({
  algorithm,
  ...rotation,
  tokenLifetimeSeconds: lifetimeSeconds,
})

/** What managed keys are stored under; null, in development, leaves them as they are. */
export const keyEncryption = (encryptionKeys: readonly string[]): RootKeys | null => {
  const [current] = encryptionKeys
  return current === undefined ? null : { current, all: encryptionKeys }
}
