import type { RootKeys } from '../../platform/kit/derived-keys.ts'
import { reseal, seal, unseal } from '../../platform/kit/sealed-box.ts'

/** The secret of a factor (base32, as apps have it) in the form in which its row holds it. */
export const sealFactorSecret = (roots: RootKeys, factorId: string, secret: string): string =>
  seal(roots, factorBox(factorId), secret)

/** The secret of a factor from its row. Throws when no root key of ours sealed it. */
export const openFactorSecret = (roots: RootKeys, factorId: string, sealed: string): string =>
  unseal(roots, factorBox(factorId), sealed)

/** A secret to be sealed with the current root key, as its row holds it and as it is to be held. */
export interface ResealedSecret {
  from: string
  to: string
}

/** Seals a secret again that a former root key sealed; null where the current one did. */
export function resealFactorSecret(
  roots: RootKeys,
  factorId: string,
  sealed: string,
): ResealedSecret | null {
  const to = reseal(roots, factorBox(factorId), sealed)
  return to === null ? null : { from: sealed, to }
}

/** The context of the box that holds a factor's secret. */
export const factorBox = (factorId: string): string => `factor:${factorId}`
