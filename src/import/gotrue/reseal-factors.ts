import type { AuthContext } from '../../accounts/auth-context.ts'
import { openFactorSecret, sealFactorSecret } from '../../accounts/factors/factor-secret.ts'
import {
  findImportedFactorSecrets,
  replaceFactorSecrets,
} from '../../accounts/factors/imported-factor-secrets.sql.ts'
import type { RootKeys } from '../../platform/kit/derived-keys.ts'
import type { ReadUser } from './read-user.ts'

/**
 * Seals secrets again that an earlier run imported and that no configured root key opens, such as
 * after an import with a wrong one. The secret of a factor does not change at the source.
 *
 * @returns the number of factors.
 */
export async function resealFactors(
  { sql, roots }: Pick<AuthContext, 'sql' | 'roots'>,
  users: readonly ReadUser[],
): Promise<number> {
  const factors = users.flatMap((user) => user.factors.filter(({ secret }) => secret))
  if (factors.length === 0) return 0
  const given = new Map(factors.map((factor) => [factor.id, factor]))
  const stored = await findImportedFactorSecrets(sql, [...given.keys()])
  const replaced = stored.flatMap(({ id, user_id, secret: from }) => {
    const factor = given.get(id)
    if (!factor?.secret || factor.user_id !== user_id || isReadable(roots, id, from)) return []
    return [{ id, from, to: sealFactorSecret(roots, id, factor.secret) }]
  })
  return replaceFactorSecrets(sql, replaced)
}

function isReadable(roots: RootKeys, id: string, sealed: string): boolean {
  try {
    openFactorSecret(roots, id, sealed)
    return true
  } catch {
    return false
  }
}
