import { performAct } from '../../accounts/acts/record-act.ts'
import type { AuthContext, TransactionContext } from '../../accounts/auth-context.ts'
import type { Admin } from '../../accounts/callers/authenticate-admin.ts'
import { sealFactorSecret } from '../../accounts/factors/factor-secret.ts'
import { importUsers } from '../../accounts/lifecycle/create-user.ts'
import { releaseUnconfirmedAddresses } from '../../accounts/lifecycle/release-unconfirmed-addresses.ts'
import { replaceUsers } from '../../accounts/lifecycle/replace-users.sql.ts'
import {
  type StoredFactors,
  storeImportedFactors,
} from '../../accounts/lifecycle/store-imported-factors.sql.ts'
import {
  type StoredPasskeys,
  storeImportedPasskeys,
} from '../../accounts/passkeys/store-imported-passkeys.sql.ts'
import { factorMethods } from '../../accounts/sessions/assurance.ts'
import {
  findImportedHashes,
  storeImportedSessions,
} from '../../accounts/sessions/store-imported-sessions.sql.ts'
import { findOwners } from '../../accounts/users/find-owners.sql.ts'
import { firstRecords } from '../../accounts/users/first-records.ts'
import {
  findImported,
  type ImportedState,
  recordImported,
} from '../../accounts/users/imported-users.sql.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { conflict } from '../../platform/errors/request-errors.ts'
import type { RootKeys } from '../../platform/kit/derived-keys.ts'
import { classifyUser, findExcess, findObstacle, needsRoom, type Verdict } from './classify-user.ts'
import type { ReadFactor } from './read-factors.ts'
import { hasOtherPassword, type ReadUser } from './read-user.ts'
import { reduceChanges } from './reduce-change.ts'
import { resealFactors } from './reseal-factors.ts'

export interface GotrueBatchResult {
  outcomes: Map<ReadUser, Verdict | AuthError>
  /** Rejected changes, each with the stored change: without its rejected values. */
  reducedByOriginal: Map<ReadUser, ReadUser>
  /** The users that were added or changed, also by a reduced change. */
  writtenIds: Set<string>
  sessions: { opened: number; ended: number }
  /** With the number of factors that no configured root key opened. */
  factors: StoredFactors & { resealed: number }
  passkeys: StoredPasskeys
  /** The number of unconfirmed accounts that users of the batch replaced. */
  signUpsReplaced: number
}

/**
 * Stores a batch in one transaction: accounts, then the data of users that exist here.
 *
 * The statement that writes checks again that a user or session is unchanged, so that a service
 * that runs meanwhile loses no data.
 */
export async function storeBatch(
  ctx: TransactionContext,
  admin: Admin,
  batch: readonly ReadUser[],
): Promise<GotrueBatchResult> {
  const states = await findImported(ctx.sql, batch.map(idOf))
  const stateOf = (user: ReadUser) => states.get(idOf(user))
  const outcomes: GotrueBatchResult['outcomes'] = new Map(
    batch.map((user) => [user, judge(ctx, user, stateOf(user))]),
  )
  const those = (...verdicts: Verdict[]) =>
    batch.filter((user) => verdicts.includes(outcomes.get(user) as Verdict))

  const added = await addUsers(ctx, admin, those('add'), outcomes)
  const updated = await updateUsers(ctx, admin, batch, { outcomes, states })
  const { reducedByOriginal } = updated
  const written = [...those('add', 'update'), ...updated.newlyReduced]
  await recordImported(ctx.sql, written.map(recordOf))
  const stored = await storeFactors(ctx, written)
  const resealed = await resealFactors(
    ctx,
    batch.filter((user) => stateOf(user)?.isThere),
  )
  const factors = { ...stored, resealed }
  const passkeys = await storeImportedPasskeys(ctx.sql, {
    rows: written.flatMap((user) => user.passkeys),
    userIds: written.map(idOf),
  })

  // A user who was changed here still exists, and may have signed out at the source.
  const here = batch.filter((user) => outcomes.get(user) === 'add' || stateOf(user)?.isThere)
  const openedFor = [...those('add', 'update', 'unchanged'), ...reducedByOriginal.keys()]
  const sessions = await storeSessions(ctx, here, openedFor)
  const signUpsReplaced = added + updated.signUpsReplaced
  const writtenIds = new Set(written.map(idOf))
  return { outcomes, reducedByOriginal, writtenIds, sessions, factors, passkeys, signUpsReplaced }
}

function judge(ctx: AuthContext, user: ReadUser, state?: ImportedState): Verdict | AuthError {
  const verdict = classifyUser(user.fingerprint, state)
  const isToBeWritten = verdict === 'add' || verdict === 'update'
  return (isToBeWritten && findExcess(ctx.config, user.moved.user)) || verdict
}

const movedOf = ({ moved }: ReadUser) => moved

const idOf = ({ moved }: ReadUser): string => moved.user.id

const recordOf = (user: ReadUser) => ({
  id: idOf(user),
  fingerprint: user.fingerprint,
  updatedAt: user.moved.user.updatedAt,
})

type Outcomes = GotrueBatchResult['outcomes']

/** Returns the number of accounts that were replaced. */
async function addUsers(
  ctx: TransactionContext,
  admin: Admin,
  users: readonly ReadUser[],
  outcomes: Outcomes,
): Promise<number> {
  if (users.length === 0) return 0
  const stored = await importUsers(ctx, admin, users.map(movedOf))
  const left = users.filter((user) => !stored.has(idOf(user)))
  if (left.length === 0) return 0
  const { free, needRoom } = await noteObstacles(ctx, left, outcomes, { isNew: true })
  const replaced = await makeRoom(ctx, admin, needRoom)
  const inserted = await importUsers(ctx, admin, free.map(movedOf))
  // The obstacle was committed meanwhile: the next attempt finds it.
  if (free.some((user) => !inserted.has(idOf(user)))) throw conflict('Another request was faster')
  return replaced
}

/**
 * Deletes the reclaimable accounts that have addresses of these users, and returns their number.
 */
async function makeRoom(
  ctx: TransactionContext,
  admin: Admin,
  users: readonly ReadUser[],
): Promise<number> {
  if (users.length === 0) return 0
  const moved = users.map(({ moved: { user } }) => user)
  return releaseUnconfirmedAddresses(ctx, moved, { actorRole: admin.role })
}

interface UpdatedUsers {
  /** Rejected changes, each with the change to store. */
  reducedByOriginal: Map<ReadUser, ReadUser>
  /** The reduced changes that this run stored. Earlier runs stored the others. */
  newlyReduced: ReadUser[]
  /** The number of accounts that were replaced. */
  signUpsReplaced: number
}

/** Stores the changes of a batch. Rejected ones are reduced to the values that can be stored. */
async function updateUsers(
  ctx: TransactionContext,
  admin: Admin,
  batch: readonly ReadUser[],
  { outcomes, states }: { outcomes: Outcomes; states: Map<string, ImportedState> },
): Promise<UpdatedUsers> {
  const stateOf = (user: ReadUser) => states.get(idOf(user))
  const changes = batch.filter((user) => outcomes.get(user) === 'update')
  const { free, needRoom } = await noteObstacles(ctx, changes, outcomes, { isNew: false })
  const rejected = batch.filter(
    (user) => outcomes.get(user) instanceof AuthError && stateOf(user)?.isThere,
  )
  const reduced = await reduceChanges(ctx, rejected, free)
  const toStore = [...reduced.reducedByOriginal].filter(
    ([, change]) => change.fingerprint !== stateOf(change)?.fingerprint,
  )
  const reducedToStore = toStore.map(([, change]) => change)
  const signUpsReplaced = await makeRoom(ctx, admin, [
    ...needRoom,
    ...reducedToStore.filter((change) => reduced.needRoom.has(change)),
  ])
  const replaced = await replaceAll(ctx, admin, [...free, ...reducedToStore], states)
  const isChangedHere = (user: ReadUser) => !replaced.has(idOf(user))
  for (const user of [...free, ...toStore.map(([original]) => original)].filter(isChangedHere)) {
    reduced.reducedByOriginal.delete(user)
    outcomes.set(user, 'changed here')
  }
  return {
    reducedByOriginal: reduced.reducedByOriginal,
    newlyReduced: reducedToStore.filter((change) => !isChangedHere(change)),
    signUpsReplaced,
  }
}

/** Returns the ids of the users that were not changed here meanwhile, and so were replaced. */
async function replaceAll(
  ctx: TransactionContext,
  admin: Admin,
  users: readonly ReadUser[],
  states: Map<string, ImportedState>,
): Promise<Set<string>> {
  if (users.length === 0) return new Set()
  const events = users.map(({ moved: { user } }) => ({
    action: 'user_modified' as const,
    actorRole: admin.role,
    userId: user.id,
    traits: { provider: user.appMetadata['provider'] },
  }))
  const withOtherPassword = users.filter((user) =>
    hasOtherPassword(user.fingerprint, states.get(idOf(user))?.fingerprint ?? ''),
  )
  return performAct(
    ctx,
    { audit: events },
    ({ auditRows }) =>
      replaceUsers(ctx.sql, {
        users: users.map(movedOf),
        endsSessionsOf: withOtherPassword.map(idOf),
        auditRows,
      }),
    (reached) => ({ reached }),
  )
}

/**
 * Records users that cannot be stored. The caller retries those whose address another user of the
 * source may have released meanwhile.
 *
 * @returns the users that can be stored, and those of them that replace reclaimable accounts.
 */
async function noteObstacles(
  ctx: AuthContext,
  users: readonly ReadUser[],
  outcomes: Outcomes,
  options: { isNew: boolean },
): Promise<{ free: ReadUser[]; needRoom: ReadUser[] }> {
  if (users.length === 0) return { free: [], needRoom: [] }
  const owners = await findOwners(
    ctx,
    users.map(({ moved }) => moved.user),
  )
  for (const read of users) {
    const obstacle = findObstacle(read.moved.user, owners, options)
    if (obstacle) outcomes.set(read, obstacle)
  }
  const unowned = users.filter((user) => !(outcomes.get(user) instanceof AuthError))
  // The source may have addresses that differ in their spelling only.
  const { firsts: free, others } = firstRecords(unowned, ({ moved }) => moved.user)
  for (const [user, error] of others) outcomes.set(user, error)
  return { free, needRoom: free.filter(({ moved }) => needsRoom(owners, moved.user)) }
}

const storeFactors = (
  { sql, roots }: AuthContext,
  users: readonly ReadUser[],
): Promise<StoredFactors> =>
  storeImportedFactors(sql, {
    rows: users.flatMap(({ factors }) => factors.map((factor) => sealFactor(roots, factor))),
    userIds: users.map(idOf),
    methods: factorMethods,
  })

/**
 * Returns the row with its secret sealed. Sealing is not deterministic, so it happens after the
 * fingerprint.
 */
const sealFactor = (roots: RootKeys, factor: ReadFactor): ReadFactor => ({
  ...factor,
  secret: factor.secret ? sealFactorSecret(roots, factor.id, factor.secret) : null,
})

/**
 * Stores sessions. A token that an earlier run stored with a former root key keeps that form, since
 * a service that has not yet the current one would not find the new form.
 */
async function storeSessions(
  { sql }: AuthContext,
  users: readonly ReadUser[],
  openedFor: readonly ReadUser[],
) {
  const sessions = users.flatMap((user) => user.sessions)
  const former = sessions.flatMap(({ tokens }) =>
    tokens.flatMap(({ formerHashes }) => formerHashes),
  )
  const stored = await findImportedHashes(sql, former)
  return storeImportedSessions(sql, {
    rows: sessions.map(({ row }) => row),
    tokens: sessions.flatMap(({ row, tokens }) =>
      tokens.map(({ hash, formerHashes }) => ({
        sessionId: row.id,
        tokenHash: formerHashes.find((former) => stored.has(former)) ?? hash,
      })),
    ),
    userIds: users.map(idOf),
    openedFor: openedFor.map(idOf),
  })
}
