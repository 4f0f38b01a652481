import { countTokensOfMissingKeys } from '../../accounts/sessions/imported-token-keys.sql.ts'
import type { RootKeys } from '../../platform/kit/derived-keys.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { type Finding, warning } from '../../service/doctor/finding.ts'
import { describeTokens } from '../../service/sealed-rows.ts'

/**
 * Returns a warning for each root key that imported refresh tokens need and that is not configured.
 * It is no problem where a former key was removed on purpose.
 */
export async function checkImportedTokens(sql: Queryable, roots: RootKeys): Promise<Finding[]> {
  const counts = await countTokensOfMissingKeys(sql, roots)
  return counts.map((use) =>
    warning(
      'root keys',
      `${use.keyId} is not configured, and ${describeTokens(use)}: their sessions are not renewed`,
      'add this key to AUTH_ENCRYPTION_KEY after the current one, or repeat latchkey import gotrue with --replace-root-key',
    ),
  )
}
