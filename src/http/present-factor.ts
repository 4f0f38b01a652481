import type { Factor } from '../users/account.ts'

/** A factor on the wire, where only the time of a challenge may be null. */
export const presentFactor = (factor: Factor): Record<string, unknown> => ({
  id: factor.id,
  created_at: factor.createdAt,
  updated_at: factor.updatedAt,
  status: factor.status,
  friendly_name: factor.friendlyName ?? undefined,
  factor_type: factor.factorType,
  phone: factor.phone ?? '',
  last_challenged_at: factor.lastChallengedAt,
  web_authn_aaguid: factor.webAuthnAaguid ?? undefined,
})
