import type { RootKeys } from '../../platform/kit/derived-keys.ts'
import { reseal, seal, unseal } from '../../platform/kit/sealed-box.ts'

/** Seals the secret of a factor (base32, as in apps) for its row. */
export const sealFactorSecret = (roots: RootKeys, factorId: string, secret: string): string =>
  seal(roots, factorBox(factorId), secret)

/**
 * Opens the sealed secret of a factor.
 *
 * @throws when none of the service's root keys sealed it.
 */
export const openFactorSecret = (roots: RootKeys, factorId: string, sealed: string): string =>
  unseal(roots, factorBox(factorId), sealed)

/** A secret to be sealed with the current root key: its stored form and its new form. */
export interface ResealedSecret {
  from: string
  to: string
}

/** Seals a secret again that a former root key sealed. Returns null where the current one did. */
export function resealFactorSecret(
  roots: RootKeys,
  factorId: string,
  sealed: string,
): ResealedSecret | null {
  const to = reseal(roots, factorBox(factorId), sealed)
  return to === null ? null : { from: sealed, to }
}

/** Returns the context of the box that contains a factor's secret. */
export const factorBox = (factorId: string): string => `factor:${factorId}`
