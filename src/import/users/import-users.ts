import { setImmediate as letOthersRun } from 'node:timers/promises'
import type { AuthContext } from '../../accounts/auth-context.ts'
import type { Admin } from '../../accounts/callers/authenticate-admin.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { type Rejection, rejectionOf } from '../../platform/errors/rejection.ts'
import { createEarlierRecords } from './earlier-records.ts'
import type {
  ImportProgress,
  ImportRefusal,
  ImportReport,
  ImportUsersInput,
  UserToImport,
} from './import-input.ts'
import { type Candidate, contentBytes, readMovedUser } from './read-moved-user.ts'
import { storeBatch, tryBatch } from './store-batch.ts'

export interface SourceRecord {
  /** The place that rejections report: its position among the records, or its line. */
  place: number
  /** @throws AuthError if it has another form. */
  read(): UserToImport
}

/** How rejections name a record and its fields. */
export interface RejectionNames {
  /** Returns the name of a record in messages, by its place. */
  describePlace?: (place: number) => string
  /** Replaces the names of fields on the wire. */
  renamed?: (rejection: Rejection) => Rejection
}

/** The maximum size of a batch, in records and in bytes of metadata. */
const maxRecords = 1000
const maxBatchBytes = 4 * 1_048_576

/** The number of records that are read without a pause, in about a millisecond. */
const recordsInOneGo = 20

const maxKeptRejections = 1000

/**
 * Stores users in batches, without a limit. Sends no messages.
 *
 * A record that cannot be stored is rejected, and the others are processed. Existing users are not
 * changed, so an interrupted import can be restarted from the beginning. An unconfirmed sign-up
 * does not reserve its address: it is deleted.
 *
 * A record that has an address, id, user name or identity of an earlier one of the run is rejected.
 * For this, the run stores 12 bytes for each such value.
 *
 * @returns the number of stored users, and the first rejections.
 */
export async function importUsers(
  ctx: AuthContext,
  admin: Admin,
  source: AsyncIterable<SourceRecord>,
  { dryRun = false, onProgress, onRefused }: ImportUsersInput,
  {
    describePlace = (place) => `the record at position ${place}`,
    renamed = (rejection) => rejection,
  }: RejectionNames = {},
): Promise<ImportReport> {
  const report: ImportReport = {
    imported: 0,
    alreadyThere: 0,
    refused: 0,
    signUpsReplaced: 0,
    refusals: [],
  }
  const refuse = (rejection: ImportRefusal) => {
    report.refused += 1
    if (report.refusals.length < maxKeptRejections) report.refusals.push(rejection)
    onRefused?.(rejection)
  }
  const earlier = createEarlierRecords(describePlace)
  for await (const { candidates, refusals } of batches(ctx, source, renamed)) {
    const { outcomes, signUpsReplaced } = await (dryRun
      ? tryBatch(ctx, candidates, earlier)
      : storeBatch(ctx, admin, candidates, earlier))
    report.signUpsReplaced += signUpsReplaced
    for (const [{ place }, outcome] of outcomes) {
      if (outcome === 'imported') report.imported += 1
      else if (outcome === 'already there') report.alreadyThere += 1
      else refusals.push({ place, ...renamed(rejectionOf(outcome)) })
    }
    for (const rejection of refusals.sort((a, b) => a.place - b.place)) refuse(rejection)
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
  renamed: (rejection: Rejection) => Rejection,
): AsyncGenerator<Batch> {
  let batch: Batch = { candidates: [], refusals: [] }
  let bytes = 0
  for await (const record of source) {
    const read = readRecord(ctx, record, renamed)
    if ('code' in read) batch.refusals.push(read)
    else {
      batch.candidates.push(read)
      bytes += contentBytes(read.user)
    }
    const records = batch.candidates.length + batch.refusals.length
    // Records may be available without a pause: this lets other work of the thread run.
    if (records % recordsInOneGo === 0) await letOthersRun()
    if (records < maxRecords && bytes < maxBatchBytes) continue
    yield batch
    batch = { candidates: [], refusals: [] }
    bytes = 0
  }
  if (batch.candidates.length + batch.refusals.length > 0) yield batch
}

function readRecord(
  ctx: AuthContext,
  { place, read }: SourceRecord,
  renamed: (rejection: Rejection) => Rejection,
): Candidate | ImportRefusal {
  let rename: typeof renamed | undefined
  try {
    const given = read()
    // Until here, an error has the names of the source.
    rename = renamed
    const isIdentityIdGiven = given.identities?.some(({ id }) => id) ?? false
    const moved = readMovedUser(ctx, given)
    return { place, isIdGiven: Boolean(given.id), isIdentityIdGiven, ...moved }
  } catch (error) {
    if (!(error instanceof AuthError)) throw error
    const rejection = rejectionOf(error)
    return { place, ...(rename ? rename(rejection) : rejection) }
  }
}
