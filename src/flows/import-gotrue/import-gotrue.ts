import { setTimeout as sleep } from 'node:timers/promises'
import type { AuthContext, TransactionContext } from '../../deps.ts'
import { AuthError } from '../../errors/auth-error.ts'
import type { ColumnKeys } from '../../gotrue/column-encryption.ts'
import { countUsers, countWhatStays } from '../../gotrue/count-source.sql.ts'
import { findSourceUsers } from '../../gotrue/find-source-users.sql.ts'
import type { SourceConnection } from '../../gotrue/source-connection.ts'
import { readLayout, type SourceLayout } from '../../gotrue/source-layout.sql.ts'
import type { SourceUser } from '../../gotrue/source-records.ts'
import type { Admin } from '../../steps/authenticate-admin.ts'
import type { ImportRange } from '../../users/find-imported.sql.ts'
import { addUp, lossesOf, noteLosses } from './add-up.ts'
import {
  emptyReport,
  type GotrueImportProgress,
  type GotrueImportReport,
  type Loss,
} from './import-report.ts'
import { readUser } from './read-user.ts'
import { type MissingUsers, settleMissing } from './settle-missing.ts'
import { type BatchResult, storeBatch } from './store-batch.ts'

/** The database of the other service. */
export interface GotrueSource {
  connection: SourceConnection
  /** The schema of its tables. */
  schema: string
  /** What its columns may be encrypted under. */
  keys: ColumnKeys
}

export interface ImportGotrueInput {
  /** Does everything and takes it back, batch by batch. */
  dryRun?: boolean
  /** Deletes users of earlier runs who are gone from the other service and were not changed here. */
  prune?: boolean
  /** Called after each batch. */
  onProgress?: (progress: GotrueImportProgress) => void
  /** Called for each thing that is not brought over. */
  onLoss?: (loss: Loss) => void
}

const usersAtOnce = 500
const maxAttempts = 3

/**
 * Brings users, identities, factors and sessions of another service over from its database, which it only
 * reads. It may be run again at any time: it brings what is new or changed there, leaves alone who was
 * changed here, and brings nothing back that was deleted or ended here.
 *
 * @throws SourceError when the source cannot be read; what was stored before that stays.
 */
export async function importGotrue(
  ctx: AuthContext,
  admin: Admin,
  { connection, schema, keys }: GotrueSource,
  input: ImportGotrueInput = {},
): Promise<GotrueImportReport> {
  const layout = await readLayout(connection, schema)
  const staysBehind = await countWhatStays(connection, layout)
  const report = emptyReport(await countUsers(connection, layout), staysBehind)

  for await (const { range, sources } of batchesOf(connection, layout)) {
    const users = sources.map((source) => readUser(ctx, source, keys))
    const [batch, gone] = await inBatch(ctx, input, async (tx) => [
      await storeBatch(tx, admin, users),
      await settleMissing(tx, admin, range, input),
    ])
    const losses = users.flatMap((user) => lossesOf(user, batch))
    addUp(report, batch, gone)
    noteLosses(report, losses)
    for (const loss of losses) input.onLoss?.(loss)
    input.onProgress?.(report)
  }
  return report
}

/** All users of the source in the order of their ids, and which part of all ids that is. */
async function* batchesOf(
  connection: SourceConnection,
  layout: SourceLayout,
): AsyncGenerator<{ range: ImportRange; sources: SourceUser[] }> {
  let after: string | null = null
  do {
    const sources: SourceUser[] = await findSourceUsers(connection, layout, {
      ...{ after, limit: usersAtOnce },
    })
    const found = sources.map(({ user }) => user.id)
    const to = sources.length < usersAtOnce ? null : (found.at(-1) ?? null)
    yield { range: { after, to, found }, sources }
    after = to
  } while (after !== null)
}

type Batch = [BatchResult, MissingUsers]

/** Runs a batch in a transaction of its own: again where somebody was faster, for nothing in a dry run. */
async function inBatch(
  ctx: AuthContext,
  input: ImportGotrueInput,
  work: (tx: TransactionContext) => Promise<Batch>,
  attempt = 1,
): Promise<Batch> {
  try {
    return await (input.dryRun ? takenBack : kept)(ctx, work)
  } catch (error) {
    const isPassing =
      error instanceof AuthError && ['conflict', 'service_unavailable'].includes(error.code)
    if (!isPassing || attempt >= maxAttempts) throw error
    await sleep(100 * attempt)
    return inBatch(ctx, input, work, attempt + 1)
  }
}

const kept: Transact = (ctx, work) => ctx.transaction(work)

/** Does the work and leaves no trace of it. */
const takenBack: Transact = async (ctx, work) => {
  const regret = new Error('this was a dry run')
  let result: Batch | undefined
  try {
    await ctx.transaction(async (tx) => {
      result = await work(tx)
      throw regret
    })
  } catch (error) {
    if (error !== regret) throw error
  }
  if (!result) throw new Error('a batch came to nothing')
  return result
}

type Transact = (
  ctx: AuthContext,
  work: (tx: TransactionContext) => Promise<Batch>,
) => Promise<Batch>
