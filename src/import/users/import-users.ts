import { setImmediate as letOthersRun } from 'node:timers/promises'
import type { AuthContext } from '../../accounts/auth-context.ts'
import type { Admin } from '../../accounts/callers/authenticate-admin.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { refusalOf } from '../../platform/errors/refusal.ts'
import type {
  ImportProgress,
  ImportRefusal,
  ImportReport,
  ImportUsersInput,
  UserToImport,
} from './import-input.ts'
import { contentBytes, readMovedUser } from './read-moved-user.ts'
import { type Candidate, storeBatch, tryBatch } from './store-batch.ts'

/** One record of a source. */
export interface SourceRecord {
  /** What a refusal calls it by: its position among the records, or its line. */
  place: number
  /** @throws AuthError when it is of another form. */
  read(): UserToImport
}

/** What is stored at once. A batch that would hold more in its metadata is smaller. */
const maxRecords = 1000
const maxBatchBytes = 4 * 1_048_576

/** How many records are read in one go: a millisecond or so. */
const recordsInOneGo = 20

const maxKeptRefusals = 1000

/**
 * Stores users who come from elsewhere, a batch at a time, however many there are. No message goes out.
 *
 * A record that cannot be stored is refused, and the others go on. Users who are there already are left
 * as they are, so what broke off may be started again from the beginning. A sign-up that nobody has proved
 * keeps its address from nobody: it is removed.
 *
 * @returns how many were stored, and the first of the records that were refused.
 */
export async function importUsers(
  ctx: AuthContext,
  admin: Admin,
  source: AsyncIterable<SourceRecord>,
  { dryRun = false, onProgress, onRefused }: ImportUsersInput,
): Promise<ImportReport> {
  const report: ImportReport = {
    imported: 0,
    alreadyThere: 0,
    refused: 0,
    signUpsReplaced: 0,
    refusals: [],
  }
  const refuse = (refusal: ImportRefusal) => {
    report.refused += 1
    if (report.refusals.length < maxKeptRefusals) report.refusals.push(refusal)
    onRefused?.(refusal)
  }
  for await (const { candidates, refusals } of batches(ctx, source)) {
    const { outcomes, signUpsReplaced } = await (dryRun
      ? tryBatch(ctx, candidates)
      : storeBatch(ctx, admin, candidates))
    report.signUpsReplaced += signUpsReplaced
    for (const [{ place }, outcome] of outcomes) {
      if (outcome === 'imported') report.imported += 1
      else if (outcome === 'already there') report.alreadyThere += 1
      else refusals.push({ place, ...refusalOf(outcome) })
    }
    for (const refusal of refusals.sort((a, b) => a.place - b.place)) refuse(refusal)
    onProgress?.(progressOf(report))
  }
  return report
}

const progressOf = ({ refusals: _refusals, ...progress }: ImportReport): ImportProgress => progress

interface Batch {
  candidates: Candidate[]
  refusals: ImportRefusal[]
}

async function* batches(
  ctx: AuthContext,
  source: AsyncIterable<SourceRecord>,
): AsyncGenerator<Batch> {
  let batch: Batch = { candidates: [], refusals: [] }
  let bytes = 0
  for await (const record of source) {
    const read = readRecord(ctx, record)
    if ('code' in read) batch.refusals.push(read)
    else {
      batch.candidates.push(read)
      bytes += contentBytes(read.user)
    }
    const records = batch.candidates.length + batch.refusals.length
    // Records may come without a pause: others who wait for this thread get their turn.
    if (records % recordsInOneGo === 0) await letOthersRun()
    if (records < maxRecords && bytes < maxBatchBytes) continue
    yield batch
    batch = { candidates: [], refusals: [] }
    bytes = 0
  }
  if (batch.candidates.length + batch.refusals.length > 0) yield batch
}

function readRecord(ctx: AuthContext, { place, read }: SourceRecord): Candidate | ImportRefusal {
  try {
    const given = read()
    return { place, isIdGiven: Boolean(given.id), ...readMovedUser(ctx, given) }
  } catch (error) {
    if (error instanceof AuthError) return { place, ...refusalOf(error) }
    throw error
  }
}
