import { countImported, findMissing } from '../../accounts/users/imported-users.sql.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import {
  findSourceIds,
  type SourceConnection,
  SourceError,
  type SourceLayout,
} from './source.sql.ts'

/** The default percentage of the imported users that a run may delete. */
const defaultShare = 10

/** The number of users that a run may delete by default, unless the source has none of them. */
const alwaysPruned = 5

const idsAtOnce = 10_000

/**
 * Requires that a run with `prune` deletes few users, and that the source has any of them. With the
 * database of another project, or an incomplete copy, nearly all of them are missing.
 *
 * @param share the percentage of the imported users that may be deleted; null for the default.
 * @throws SourceError that names the numbers.
 */
export async function requirePrunable(
  sql: Queryable,
  source: { connection: SourceConnection; layout: SourceLayout },
  share: number | null,
): Promise<void> {
  const imported = await countImported(sql)
  const { found, missing, removable } = await countMissing(sql, source)
  const hasNone = missing === imported && removable > 0 && share !== 100
  const most = (imported * (share ?? defaultShare)) / 100
  const isLarge = removable > (share === null ? Math.max(most, alwaysPruned) : most)
  if (!hasNone && !isLarge) return
  throw new SourceError(
    `Nothing was imported: --prune would delete ${removable} of ${imported} imported users, and the source has ` +
      `${found} users. Check that it is the right database and complete. If it is, add --prune-share with the ` +
      `percentage that may be deleted (${hasNone ? 100 : Math.ceil((100 * removable) / imported)})`,
  )
}

async function countMissing(
  sql: Queryable,
  { connection, layout }: { connection: SourceConnection; layout: SourceLayout },
): Promise<{ found: number; missing: number; removable: number }> {
  const counts = { found: 0, missing: 0, removable: 0 }
  let after: string | null = null
  do {
    const found: string[] = await findSourceIds(connection, layout, { after, limit: idsAtOnce })
    const to = found.at(-1) ?? null
    const missing = await findMissing(sql, { after, to, found }, { locks: false })
    counts.found += found.length
    counts.missing += missing.length
    counts.removable += missing.filter(({ isUntouched }) => isUntouched).length
    after = to
  } while (after !== null)
  return counts
}
