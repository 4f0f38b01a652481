import type { KeyRing } from './key-ring.ts'

/** Role and lifetime of an operator's token. */
export interface ServiceTokenTerms {
  role: string
  lifetimeSeconds: number
  now: Date
}

/** Signs a token for administration. It has a role, and neither user nor session. */
export function issueServiceToken(
  keys: KeyRing,
  { role, lifetimeSeconds, now }: ServiceTokenTerms,
): Promise<string> {
  const issuedAt = Math.floor(now.getTime() / 1000)
  return keys.sign({ role, iat: issuedAt, exp: issuedAt + lifetimeSeconds })
}
