import { auditNote } from '../../audit/audit-note.ts'
import type { AuditEvent } from '../../audit/audit-row.ts'
import type { AuthContext } from '../../deps.ts'
import type { AuthError } from '../../errors/auth-error.ts'
import { conflict } from '../../errors/request-errors.ts'
import type { Admin } from '../../steps/authenticate-admin.ts'
import { retryPassing } from '../../steps/retry-passing.ts'
import { findOwners } from '../../users/find-owners.sql.ts'
import { insertAccounts } from '../../users/insert-accounts.sql.ts'
import type { MovedAccount } from '../../users/moved-account.ts'
import { judgeAccount } from './judge-account.ts'

/** A record that can be stored, if nobody has what it wants. */
export interface Candidate extends MovedAccount {
  place: number
  /** Whether the record named its id. */
  isIdGiven: boolean
}

/** What becomes of a record. */
export type Outcome = 'imported' | 'already there' | AuthError

const maxAttempts = 3

/** Stores a batch, in one statement where nobody has anything of it; else a second one tells who. */
export async function storeBatch(
  ctx: AuthContext,
  admin: Admin,
  batch: readonly Candidate[],
): Promise<Map<Candidate, Outcome>> {
  const outcomes = new Map<Candidate, Outcome>()
  let left = batch
  for (let attempt = 1; left.length > 0 && attempt <= maxAttempts; attempt += 1) {
    const first = firstOfEachId(left)
    const stored = await insert(ctx, admin, first)
    for (const one of first) if (stored.has(one.account.id)) outcomes.set(one, 'imported')
    left = await judge(
      ctx,
      left.filter((one) => !outcomes.has(one)),
      outcomes,
    )
  }
  const hashes = [...outcomes.keys()].flatMap(({ passwordHash }) => passwordHash ?? [])
  void ctx.passwords.learn(async () => hashes)
  // Again and again somebody had it for a moment.
  for (const one of left) outcomes.set(one, conflict('Another request was faster'))
  return outcomes
}

/** The records that are stored together: a later one with the same id is judged by what became of it. */
function firstOfEachId(batch: readonly Candidate[]): Candidate[] {
  const ids = new Set<string>()
  return batch.filter(({ account: { id } }) => !ids.has(id) && ids.add(id))
}

/** What would become of a batch. */
export async function tryBatch(
  ctx: AuthContext,
  batch: readonly Candidate[],
): Promise<Map<Candidate, Outcome>> {
  const outcomes = new Map<Candidate, Outcome>()
  for (const one of await judge(ctx, batch, outcomes)) outcomes.set(one, 'imported')
  return outcomes
}

/** @returns those of whom nobody has anything. */
async function judge(
  { sql }: AuthContext,
  batch: readonly Candidate[],
  outcomes: Map<Candidate, Outcome>,
): Promise<Candidate[]> {
  if (batch.length === 0) return []
  const owners = await findOwners(
    sql,
    batch.map(({ account }) => account),
  )
  return batch.filter((one) => {
    const outcome = judgeAccount(one, owners)
    if (outcome !== 'free') outcomes.set(one, outcome)
    return outcome === 'free'
  })
}

async function insert(
  ctx: AuthContext,
  admin: Admin,
  batch: readonly Candidate[],
): Promise<Set<string>> {
  const entries = batch.map(
    ({ account }): AuditEvent => ({
      action: 'user_signedup',
      actorRole: admin.role,
      userId: account.id,
      traits: { provider: account.appMetadata['provider'] },
    }),
  )
  const attempt = async () => {
    const note = auditNote(ctx, ...entries)
    const stored = await insertAccounts(ctx.sql, batch, note.rows)
    note.logAbout(stored)
    return stored
  }
  // Nothing was stored, or it is found there: a transaction of the host's alone is over for good.
  return ctx.isJoined ? attempt() : retryPassing(attempt)
}
