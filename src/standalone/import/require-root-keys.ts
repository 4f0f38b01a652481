import { countImportedTokens } from '../../accounts/sessions/imported-token-keys.sql.ts'
import type { RootKeys } from '../../platform/kit/derived-keys.ts'
import { keyIdOf } from '../../platform/kit/sealed-box.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { countSealedRows, describeCounts, describeTokens } from '../../service/sealed-rows.ts'
import { CommandError } from '../command-error.ts'

/**
 * Requires that the import uses the root key of the service. With another one, it would store
 * factors that the service cannot open, and hashes of refresh tokens that it does not find.
 *
 * The stored values show the key of the service. The keys of all of them have to be configured. If
 * values need former keys, at least one has to need the current one: otherwise no service and no
 * earlier run has used it.
 *
 * @throws CommandError that names the needed keys, as `latchkey keys list` does, and the current
 *   one.
 */
export async function requireRootKeys(sql: Queryable, roots: RootKeys): Promise<void> {
  const uses = await findUses(sql, roots)
  const needed = (state: KeyUse['state']) =>
    uses.filter((use) => use.state === state).map(({ text }) => text)
  const [current, former, missing] = [needed('current'), needed('former'), needed('missing')]
  const used = `the import would use root key ${keyIdOf(roots.current)}`
  if (missing.length > 0) {
    throw new CommandError(
      `Nothing was imported: stored values need a root key that is not configured (${missing.join('; ')}), ` +
        `and ${used}. Set AUTH_ENCRYPTION_KEY, or without it ` +
        'AUTH_JWT_SECRET, to the value that the service uses. Add a former key of the service to AUTH_ENCRYPTION_KEY ' +
        'after the current one, and run `latchkey keys reseal`. If the missing key is lost, --replace-root-key ' +
        'imports factors and refresh tokens again with the configured one',
    )
  }
  if (former.length > 0 && current.length === 0) {
    throw new CommandError(
      `Nothing was imported: all stored values need a former root key (${former.join('; ')}), ` +
        `and ${used}, which nothing was stored with. Set AUTH_ENCRYPTION_KEY, or without it AUTH_JWT_SECRET, to the ` +
        'value that the service uses. If the service uses the new key, repeat the command with --replace-root-key: ' +
        'values of the former key remain valid',
    )
  }
}

/** Stored values that need a root key. */
interface KeyUse {
  state: 'current' | 'former' | 'missing' | 'unnamed'
  text: string
}

async function findUses(sql: Queryable, roots: RootKeys): Promise<KeyUse[]> {
  const sealed = (await countSealedRows(sql, roots)).filter(({ total }) => total > 0)
  const hashed = await countImportedTokens(sql, roots)
  return [
    ...sealed.map(({ keyId, state, counts }) => ({
      state,
      text: `root key ${keyId} seals ${describeCounts(counts)}`,
    })),
    ...hashed.map((use) => ({
      state: use.state,
      text: `root key ${use.keyId} ${describeTokens(use)}`,
    })),
  ]
}
