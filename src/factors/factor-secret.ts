import type { RootKeys } from '../kit/derived-keys.ts'
import { seal, unseal } from '../kit/sealed-box.ts'

/** The secret of a factor (base32, as apps have it) in the form in which its row holds it. */
export const sealFactorSecret = (roots: RootKeys, factorId: string, secret: string): string =>
  seal(roots, context(factorId), secret)

/** The secret of a factor from its row. Throws when no root key of ours sealed it. */
export const openFactorSecret = (roots: RootKeys, factorId: string, sealed: string): string =>
  unseal(roots, context(factorId), sealed)

const context = (factorId: string): string => `factor:${factorId}`
