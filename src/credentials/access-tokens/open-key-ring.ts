import type { ResolvedJwt } from '../../platform/config/sections/tokens.ts'
import type { RootKeys } from '../../platform/kit/derived-keys.ts'
import { configuredKeyRing, type KeyRing } from './key-ring.ts'
import { type ManagedKeyRing, type ManagedKeysNeeds, openManagedKeys } from './managed-keys.ts'
import type { RotationPlan } from './rotate-signing-keys.ts'

/** A ring, and the functions that refresh and stop its upkeep. */
export interface OpenKeyRing extends Pick<ManagedKeyRing, 'renewIfOld' | 'stop'> {
  keys: KeyRing
  /** Reloads keys that another instance may have changed; null for keys that never change. */
  reload: (() => void) | null
}

/** Returns the configured keys, or, without any, keys that Latchkey creates and rotates. */
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

/**
 * The encryption keys of managed keys; null in development, where they are stored in clear text.
 */
export const keyEncryption = (encryptionKeys: readonly string[]): RootKeys | null => {
  const [current] = encryptionKeys
  return current === undefined ? null : { current, all: encryptionKeys }
}
