import { countTokensOfMissingKeys } from '../../accounts/sessions/imported-token-keys.sql.ts'
import type { RootKeys } from '../../platform/kit/derived-keys.ts'
import { keyIdOf } from '../../platform/kit/sealed-box.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { countSealedRows, describeCounts } from '../../service/sealed-rows.ts'
import { CommandError } from '../command-error.ts'

/**
 * Requires that the root keys of all stored values are configured. An import with another root key
 * than that of the service would store factors that the service cannot open, and replace refresh
 * tokens by hashes that it does not find.
 *
 * @throws CommandError that names the missing keys, as `latchkey keys list` does.
 */
export async function requireRootKeys(sql: Queryable, roots: RootKeys): Promise<void> {
  const needed = [...(await sealedByMissing(sql, roots)), ...(await hashedByMissing(sql, roots))]
  if (needed.length === 0) return
  throw new CommandError(
    `Nothing was imported: stored values need a root key that is not configured (${needed.join('; ')}), ` +
      `and the import would use root key ${keyIdOf(roots.current)}. Set AUTH_ENCRYPTION_KEY, or without it ` +
      'AUTH_JWT_SECRET, to the value that the service uses. Add a former key of the service to AUTH_ENCRYPTION_KEY ' +
      'after the current one, and run `latchkey keys reseal`. If the missing key is lost, --replace-root-key ' +
      'imports factors and refresh tokens again with the configured one',
  )
}

async function sealedByMissing(sql: Queryable, roots: RootKeys): Promise<string[]> {
  const uses = await countSealedRows(sql, roots)
  return uses
    .filter(({ state }) => state === 'missing')
    .map(({ keyId, counts }) => `root key ${keyId} seals ${describeCounts(counts)}`)
}

async function hashedByMissing(sql: Queryable, roots: RootKeys): Promise<string[]> {
  const hashed = await countTokensOfMissingKeys(sql, roots)
  return hashed.map(
    ({ keyId, tokens }) => `root key ${keyId} hashes imported refresh tokens ${tokens}`,
  )
}
