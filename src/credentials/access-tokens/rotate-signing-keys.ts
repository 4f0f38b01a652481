import type { ManagedAlgorithm } from '../../platform/config/sections/tokens.ts'
import type { Clock } from '../../platform/kit/clock.ts'
import type { RootKeys } from '../../platform/kit/derived-keys.ts'
import type { Random } from '../../platform/kit/random.ts'
import { announceChange } from '../../platform/sql/announce-change.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { rowsOf } from '../../platform/sql/tables.ts'
import { newSigningKeyRow } from './managed-key-rows.ts'
import {
  findSigningKeys,
  insertSigningKey,
  lockSigningKeys,
  retireSigningKey,
  type SigningKeyRow,
} from './signing-keys.sql.ts'

/** The schedule of managed keys. */
export interface RotationPlan {
  algorithm: ManagedAlgorithm
  /** The time for which a key signs. */
  intervalSeconds: number
  /** The time for which a key is published before it signs, and kept after its last token. */
  overlapSeconds: number
  tokenLifetimeSeconds: number
}

export interface RotationNeeds {
  transaction<T>(work: (unit: { sql: Queryable }) => Promise<T>): Promise<T>
  clock: Clock
  random: Random
  encryption: RootKeys | null
}

/**
 * Rotates the managed keys: creates the first, publishes the next ahead of its time, and retires
 * those whose last token has expired. One instance acts under a lock; the others find the result.
 * Mostly nothing is due, and one statement determines that.
 *
 * @returns the keys that verify from now on.
 */
export async function rotateWhenDue(
  needs: RotationNeeds & { sql: Queryable },
  plan: RotationPlan,
): Promise<SigningKeyRow[]> {
  const stored = await findSigningKeys(needs.sql)
  if (!isRotationDue(stored, plan, needs.clock.now())) return stored
  return underLock(needs, async (sql, keys) => {
    const now = needs.clock.now()
    const due = nextSigningTime(keys, plan, now)
    if (due) await addKey(needs, sql, plan.algorithm, due)
    for (const key of outlived(keys, plan, now)) await retireSigningKey(sql, key.id, now)
  })
}

/** Reports whether a key is to be created or retired. */
export const isRotationDue = (
  keys: readonly SigningKeyRow[],
  plan: RotationPlan,
  now: Date,
): boolean => nextSigningTime(keys, plan, now) !== null || outlived(keys, plan, now).length > 0

/**
 * Publishes a new key now, which signs one overlap later, for an operator who does not want to
 * wait. The first key signs at once.
 */
export function rotateNow(needs: RotationNeeds, plan: RotationPlan): Promise<SigningKeyRow[]> {
  return underLock(needs, (sql, keys) => {
    const overlapSeconds = keys.length === 0 ? 0 : plan.overlapSeconds
    return addKey(needs, sql, plan.algorithm, after(needs.clock.now(), overlapSeconds))
  })
}

/**
 * Retires a key, so that its tokens are no longer accepted. The only signing key cannot be retired.
 *
 * @returns whether the key was retired, or the reason why not.
 */
export async function retireNow(
  needs: RotationNeeds,
  id: string,
): Promise<'retired' | 'unknown' | 'signs alone'> {
  const now = needs.clock.now()
  return needs.transaction(async ({ sql }) => {
    await lockSigningKeys(sql)
    const keys = await findSigningKeys(sql)
    if (!keys.some((key) => key.id === id)) return 'unknown'
    const signing = keys.filter((key) => new Date(key.signs_from) <= now)
    if (!signing.some((key) => key.id !== id)) return 'signs alone'
    await retireSigningKey(sql, id, now)
    await announceChange(sql, 'signing_keys')
    return 'retired'
  })
}

async function underLock(
  needs: RotationNeeds,
  act: (sql: Queryable, keys: SigningKeyRow[]) => Promise<void>,
): Promise<SigningKeyRow[]> {
  return needs.transaction(async ({ sql }) => {
    await lockSigningKeys(sql)
    await act(sql, await findSigningKeys(sql))
    await announceChange(sql, 'signing_keys')
    return findSigningKeys(sql)
  })
}

async function addKey(
  needs: RotationNeeds,
  sql: Queryable,
  algorithm: ManagedAlgorithm,
  signsFrom: Date,
): Promise<void> {
  const row = await newSigningKeyRow(needs, algorithm, { now: needs.clock.now(), signsFrom })
  await insertSigningKey(sql, rowsOf('signing_keys', row))
}

/** Returns the time at which the next key begins to sign; null while none is due. */
function nextSigningTime(
  keys: readonly Pick<SigningKeyRow, 'signs_from'>[],
  { intervalSeconds, overlapSeconds }: RotationPlan,
  now: Date,
): Date | null {
  const [newest] = keys
  if (!newest) return now
  const planned = after(new Date(newest.signs_from), intervalSeconds)
  const earliest = after(now, overlapSeconds)
  if (planned > earliest) return null
  return earliest
}

/** Returns the keys whose successor has signed for so long that all their tokens have expired. */
function outlived(
  keys: readonly SigningKeyRow[],
  { tokenLifetimeSeconds, overlapSeconds }: RotationPlan,
  now: Date,
): SigningKeyRow[] {
  return keys.filter((_key, index) => {
    const successor = keys[index - 1]
    if (!successor) return false
    const lastUse = after(new Date(successor.signs_from), tokenLifetimeSeconds + overlapSeconds)
    return lastUse < now
  })
}

const after = (instant: Date, seconds: number): Date => new Date(instant.getTime() + seconds * 1000)
