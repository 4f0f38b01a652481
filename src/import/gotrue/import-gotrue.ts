import type { AuthContext, TransactionContext } from '../../accounts/auth-context.ts'
import type { Admin } from '../../accounts/callers/authenticate-admin.ts'
import { type ImportRange, lockImports } from '../../accounts/users/imported-users.sql.ts'
import { keyIdOf } from '../../platform/kit/sealed-box.ts'
import { isUuid } from '../../platform/kit/uuid.ts'
import { retryTransient } from '../../platform/sql/retry.ts'
import { addPart, addUp, lossesOf, lostCredentials, noteLosses } from './add-up.ts'
import type { ColumnKeys } from './column-encryption.ts'
import type { ImportPart, PartResult } from './import-part.ts'
import {
  emptyReport,
  type GotrueImportProgress,
  type GotrueImportReport,
  type Loss,
} from './import-report.ts'
import { type ReadUser, readUser } from './read-user.ts'
import { requirePrunable } from './require-prunable.ts'
import {
  allSettled,
  earlierLosses,
  type RetriedUser,
  retriedAtMost,
  storeWithRetry,
  withoutTaken,
} from './retried-users.ts'
import { type MissingUsers, settleMissing } from './settle-missing.ts'
import {
  countUsers,
  countWhatStays,
  findSourceIds,
  findSourceUsers,
  readLayout,
  type SourceConnection,
  SourceError,
  type SourceLayout,
} from './source.sql.ts'
import type { SourceUser } from './source-records.ts'
import type { GotrueBatchResult } from './store-batch.ts'

/** The database of a GoTrue service. */
export interface GotrueSource {
  connection: SourceConnection
  /** The schema of its tables. */
  schema: string
  /** The keys of encrypted columns. */
  keys: ColumnKeys
}

export interface ImportGotrueInput {
  /** Runs and rolls back each batch. */
  dryRun?: boolean
  /** Deletes users of earlier runs that no longer exist at the source and were not changed here. */
  prune?: boolean
  /** The percentage of the imported users that `prune` may delete. Default: 10, or five users. */
  pruneShare?: number | null
  /** The data of capabilities. Default: none. */
  parts?: readonly ImportPart[]
  /** Called after each batch. */
  onProgress?: (progress: GotrueImportProgress) => void
  /** Called for each loss. */
  onLoss?: (loss: Loss) => void
}

const usersAtOnce = 500

/**
 * Imports users, identities, factors, passkeys and sessions from a GoTrue database, and the data of
 * capabilities. It only reads the source. It may be repeated: later runs import new and changed
 * data, skip users that were changed here, and do not restore data that were deleted or ended here.
 *
 * @throws SourceError if `prune` would delete too many users, before anything is stored, or if the
 *   source cannot be read; batches stored before that remain.
 */
export async function importGotrue(
  ctx: AuthContext,
  admin: Admin,
  { connection, schema, keys }: GotrueSource,
  input: ImportGotrueInput = {},
): Promise<GotrueImportReport> {
  const layout = await readLayout(connection, schema)
  const { prune = false, pruneShare = null } = input
  if (prune) await requirePrunable(ctx.sql, { connection, layout }, pruneShare)
  const report = emptyReport(await countUsers(connection, layout), {
    rootKey: keyIdOf(ctx.roots.current),
    staysBehind: await countWhatStays(connection, layout),
  })
  const { parts = [] } = input
  const source = { connection, layout, keys }
  const note = (losses: readonly Loss[]) => {
    noteLosses(report, losses)
    for (const loss of losses) input.onLoss?.(loss)
  }
  const stores = await Promise.all(parts.map((part) => part.read(ctx, source)))
  const storeParts = async (tx: TransactionContext): Promise<PartResult[]> => {
    const results: PartResult[] = []
    for (const store of stores) results.push(await store(tx, admin))
    return results
  }
  for (const result of await inBatch(ctx, input, storeParts)) note(addPart(report, result))

  const read = (user: SourceUser) => readUser(ctx, user, keys)
  const storeUsers = (users: readonly ReadUser[], range: ImportRange | null) =>
    inBatch(ctx, input, async (tx) => {
      // A dry run has stored nothing so far.
      if (input.dryRun) await storeParts(tx)
      // Deletion releases addresses for the users of the batch.
      const missing = range ? await settleMissing(tx, admin, range, input) : noneMissing
      const batch = await storeWithRetry(tx, admin, users)
      const ofUsers: PartResult[] = []
      for (const part of parts) {
        if (part.ofUsers) ofUsers.push(await part.ofUsers(tx, source, addedIn(batch)))
      }
      return { batch, missing, ofUsers }
    })
  const add = ({ batch, missing, ofUsers }: Awaited<ReturnType<typeof storeUsers>>) => {
    addUp(report, batch, missing)
    note([...batch.outcomes.keys()].flatMap((user) => lossesOf(user, batch)))
    note(lostCredentials(batch))
    for (const result of ofUsers) note(addPart(report, result))
    input.onProgress?.(report)
  }
  const retried = new Map<string, RetriedUser>()
  for await (const { range, sources } of batchesOf(connection, layout)) {
    const stored = await storeUsers(sources.map(read), range)
    // A dry run stores nothing, so that no address is released.
    const isLast = input.dryRun || retried.size >= retriedAtMost
    const { settled, ...left } = isLast ? allSettled(stored.batch) : withoutTaken(stored.batch)
    for (const user of left.retried) retried.set(user.id, user)
    add({ ...stored, batch: settled })
  }
  if (retried.size === 0) return report
  for await (const { sources } of batchesOf(connection, layout, [...retried.keys()])) {
    const stored = await storeUsers(sources.map(read), null)
    note(earlierLosses(retried, stored.batch))
    add(stored)
  }
  return report
}

const noneMissing: MissingUsers = { missing: 0, removed: 0 }

const addedIn = ({ outcomes }: GotrueBatchResult): string[] =>
  [...outcomes].flatMap(([{ moved }, outcome]) => (outcome === 'add' ? [moved.user.id] : []))

/**
 * Returns users of the source in the order of their ids, and the range of ids whose missing users a
 * batch settles: the last one with users settles all that follow. An empty batch ends the list.
 *
 * @param ids the ids of the users. Default: all.
 * @throws SourceError if an id follows that is not greater: with rows that were restored without
 *   their primary key, users would be lost, or the import would not end.
 */
async function* batchesOf(
  connection: SourceConnection,
  layout: SourceLayout,
  ids: readonly string[] | null = null,
): AsyncGenerator<{ range: ImportRange | null; sources: SourceUser[] }> {
  let after: string | null = null
  let isSettled = false
  do {
    const sources: SourceUser[] = await findSourceUsers(connection, layout, {
      after,
      limit: usersAtOnce,
      ids,
    })
    const found = sources.map(({ user }) => user.id)
    requireAscending([...(after === null ? [] : [after]), ...found])
    const last = found.at(-1) ?? null
    // Users to retry settle no range.
    const isLast = ids === null && last !== null && !(await hasUsersAfter(connection, layout, last))
    yield { range: isSettled ? null : { after, to: isLast ? null : last, found }, sources }
    isSettled = isLast
    after = last
  } while (after !== null)
}

/** A batch may be short because of its size, so only the source knows which one is the last. */
async function hasUsersAfter(
  connection: SourceConnection,
  layout: SourceLayout,
  after: string,
): Promise<boolean> {
  return (await findSourceIds(connection, layout, { after, limit: 1 })).length > 0
}

function requireAscending(ids: readonly string[]): void {
  if (ids.every((id, at) => isUuid(id) && (at === 0 || id > String(ids[at - 1])))) return
  throw new SourceError('The table "users" of the source contains an id more than once')
}

type Work<T> = (tx: TransactionContext) => Promise<T>

/**
 * Runs a batch in its own transaction. It is repeated after a conflict, and rolled back in a dry
 * run. Of several imports at the same time, one at a time runs a batch.
 */
function inBatch<T>(
  ctx: AuthContext,
  { dryRun = false }: { dryRun?: boolean },
  work: Work<T>,
): Promise<T> {
  const locked: Work<T> = async (tx) => {
    await lockImports(tx.sql)
    return work(tx)
  }
  return retryTransient(() => (dryRun ? rolledBack(ctx, locked) : ctx.transaction(locked)))
}

/** Runs work in a transaction and rolls it back. */
async function rolledBack<T>(ctx: AuthContext, work: Work<T>): Promise<T> {
  const regret = new Error('this was a dry run')
  const results: T[] = []
  try {
    await ctx.transaction(async (tx) => {
      results.push(await work(tx))
      throw regret
    })
  } catch (error) {
    if (error !== regret) throw error
  }
  return results[0] as T
}
