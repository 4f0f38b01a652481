import type { ClientSigningKey } from '../config/sections/provider-definition.ts'
import type { ResolvedAppleProvider, ResolvedProvider } from '../config/sections/providers.ts'

/** The key that a provider's client secrets are made with; null where the secret itself was configured. */
export function signingKeyOf(
  provider: ResolvedProvider | ResolvedAppleProvider,
): ClientSigningKey | null {
  if (!('privateKey' in provider)) return null
  const { teamId, keyId, privateKey } = provider
  if (teamId === null || keyId === null || privateKey === null) return null
  return { teamId, keyId, privateKey }
}
