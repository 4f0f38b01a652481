import type { AuthContext } from '../../accounts/auth-context.ts'
import type { Admin } from '../../accounts/callers/authenticate-admin.ts'
import { importUsers } from '../../accounts/lifecycle/create-user.ts'
import { releaseUnconfirmedAddresses } from '../../accounts/lifecycle/release-unconfirmed-addresses.ts'
import { findOwners, type Owners } from '../../accounts/users/find-owners.sql.ts'
import { isAddressIdentity, type User } from '../../accounts/users/user.ts'
import {
  emailExists,
  identityExists,
  phoneExists,
  userIdExists,
  usernameExists,
} from '../../accounts/users/user-errors.ts'
import { findTakenUsernames } from '../../accounts/users/usernames.sql.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { conflict } from '../../platform/errors/request-errors.ts'
import { retryTransient } from '../../platform/sql/retry.ts'
import { type EarlierRecords, haveRepetitions } from './earlier-records.ts'
import type { Candidate } from './read-moved-user.ts'

/** The result of a record. */
type ImportOutcome = 'imported' | 'already there' | AuthError

const maxAttempts = 3

interface BatchResult {
  outcomes: Map<Candidate, ImportOutcome>
  /** The number of unconfirmed accounts that users of the batch replaced. */
  signUpsReplaced: number
}

/**
 * Stores a batch in one statement if there are no conflicts; otherwise a second statement finds
 * them.
 *
 * @param earlier the records of earlier batches. The records of this one are added.
 */
export async function storeBatch(
  ctx: AuthContext,
  admin: Admin,
  batch: readonly Candidate[],
  earlier: EarlierRecords,
): Promise<BatchResult> {
  const outcomes = new Map<Candidate, ImportOutcome>()
  const unique = rejectRepetitions(batch, earlier, outcomes)
  const isDecided = haveRepetitions(unique)
  const free = isDecided ? (await decide(ctx, unique, earlier, outcomes)).free : unique
  const signUpsReplaced = await storeUnique(ctx, admin, free, outcomes)
  if (!isDecided) addKnown(unique, earlier, outcomes)
  const stored = [...outcomes].filter(([, outcome]) => outcome === 'imported')
  const hashes = stored.flatMap(([{ passwordHash }]) => passwordHash ?? [])
  void ctx.passwords.learn(async () => hashes)
  return { outcomes, signUpsReplaced }
}

/** Returns the result that a batch would have. */
export async function tryBatch(
  ctx: AuthContext,
  batch: readonly Candidate[],
  earlier: EarlierRecords,
): Promise<BatchResult> {
  const outcomes = new Map<Candidate, ImportOutcome>()
  const unique = rejectRepetitions(batch, earlier, outcomes)
  const { free, owners } = await decide(ctx, unique, earlier, outcomes)
  for (const one of free) outcomes.set(one, 'imported')
  const replaced = free.map(({ user }) => owners.reclaimableBy(user))
  return { outcomes, signUpsReplaced: replaced.reduce((sum, count) => sum + count, 0) }
}

/** Rejects the records that have a value of an earlier batch, and returns the others. */
function rejectRepetitions(
  batch: readonly Candidate[],
  earlier: EarlierRecords,
  outcomes: Map<Candidate, ImportOutcome>,
): Candidate[] {
  return batch.filter((one) => {
    const repetition = earlier.findRepetition(one)
    if (repetition) outcomes.set(one, repetition)
    return repetition === null
  })
}

/**
 * Compares records with the users in the database, and then with each other in their order: a
 * record that is rejected prevents no later one.
 *
 * @returns the records to store, which have no value in common.
 */
async function decide(
  ctx: AuthContext,
  batch: readonly Candidate[],
  earlier: EarlierRecords,
  outcomes: Map<Candidate, ImportOutcome>,
): Promise<{ free: Candidate[]; owners: Owners }> {
  const owners = await findOwnersOf(ctx, batch)
  await withFreeUsernames(ctx, judge(batch, owners, outcomes), outcomes)
  for (const one of batch) {
    if (outcomes.get(one) instanceof AuthError) continue
    const repetition = earlier.findRepetition(one)
    if (repetition) outcomes.set(one, repetition)
    else earlier.add(one)
  }
  return { free: batch.filter((one) => !outcomes.has(one)), owners }
}

function addKnown(
  batch: readonly Candidate[],
  earlier: EarlierRecords,
  outcomes: ReadonlyMap<Candidate, ImportOutcome>,
): void {
  for (const one of batch) if (!(outcomes.get(one) instanceof AuthError)) earlier.add(one)
}

/**
 * Stores records that have no value in common, and returns the number of replaced accounts. Records
 * left after the first attempt have no conflict, or conflict with a reclaimable account.
 */
async function storeUnique(
  ctx: AuthContext,
  admin: Admin,
  batch: readonly Candidate[],
  outcomes: Map<Candidate, ImportOutcome>,
): Promise<number> {
  let signUpsReplaced = 0
  let left = batch
  for (let attempt = 1; left.length > 0 && attempt <= maxAttempts; attempt += 1) {
    const { stored, replaced } =
      attempt === 1
        ? { stored: await insert(ctx, admin, left), replaced: 0 }
        : await insertInstead(ctx, admin, left)
    signUpsReplaced += replaced
    for (const one of left) if (stored.has(one.user.id)) outcomes.set(one, 'imported')
    left = left.filter((one) => !outcomes.has(one))
    if (left.length > 0) left = judge(left, await findOwnersOf(ctx, left), outcomes)
    left = await withFreeUsernames(ctx, left, outcomes)
  }
  // Each attempt met a concurrent conflict.
  for (const one of left) outcomes.set(one, conflict('Another request was faster'))
  return signUpsReplaced
}

const findOwnersOf = (ctx: AuthContext, batch: readonly Candidate[]): Promise<Owners> =>
  findOwners(
    ctx,
    batch.map(({ user }) => user),
  )

/** @returns records whose data no user has, or reclaimable accounts only. */
function judge(
  batch: readonly Candidate[],
  owners: Owners,
  outcomes: Map<Candidate, ImportOutcome>,
): Candidate[] {
  return batch.filter((one) => {
    const outcome = classifyUser(one, owners)
    if (outcome !== 'free') outcomes.set(one, outcome)
    return outcome === 'free'
  })
}

/** Returns the records whose user names no other user holds. */
async function withFreeUsernames(
  { sql }: AuthContext,
  batch: readonly Candidate[],
  outcomes: Map<Candidate, ImportOutcome>,
): Promise<Candidate[]> {
  const taken = await findTakenUsernames(
    sql,
    batch.map(({ user }) => user),
  )
  return batch.filter((one) => {
    const isTaken = taken.has(one.user.id)
    if (isTaken) outcomes.set(one, usernameExists())
    return !isTaken
  })
}

/** Stores records after deleting the reclaimable accounts with their addresses. */
async function insertInstead(ctx: AuthContext, admin: Admin, batch: readonly Candidate[]) {
  const users = batch.map(({ user }) => user)
  const attempt = () =>
    ctx.transaction(async (tx) => {
      const replaced = await releaseUnconfirmedAddresses(tx, users, { actorRole: admin.role })
      return { replaced, stored: await importUsers(tx, admin, batch) }
    })
  return ctx.isJoined ? attempt() : retryTransient(attempt)
}

async function insert(
  ctx: AuthContext,
  admin: Admin,
  batch: readonly Candidate[],
): Promise<ReadonlySet<string>> {
  const attempt = () => importUsers(ctx, admin, batch)
  // A failed attempt stored nothing. A transaction of the host cannot be repeated.
  return ctx.isJoined ? attempt() : retryTransient(attempt)
}

/**
 * Reports whether a record is of an existing user, or conflicts with other users.
 *
 * A record with an id is of the user with that id who still has one of its addresses or identities;
 * one without an id is of the user who has all of its addresses and identities. A reclaimable
 * account is replaced, and counts as having none.
 */
function classifyUser(
  { user, isIdGiven }: { user: User; isIdGiven: boolean },
  owners: Owners,
): 'free' | 'already there' | AuthError {
  const email = owners.ofEmail(user.email)
  const phone = owners.ofPhone(user.phone)
  // An email or phone identity contains no more than the address.
  const identities = user.identities.filter((identity) => !isAddressIdentity(identity))
  const holders = [
    ...(user.email === null ? [] : [email]),
    ...(user.phone === null ? [] : [phone]),
    ...identities.map((identity) => owners.ofIdentity(identity)),
  ]
  if (isIdGiven && owners.hasId(user.id)) {
    return holders.includes(user.id) ? 'already there' : userIdExists()
  }
  const [first] = holders
  if (!isIdGiven && first && holders.every((holder) => holder === first)) return 'already there'
  if (email) return emailExists()
  if (phone) return phoneExists()
  const isTaken = user.identities.some((identity) => owners.ofIdentity(identity) !== undefined)
  return isTaken ? identityExists() : 'free'
}
