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

/** When managed keys change. */
export interface RotationPlan {
  algorithm: ManagedAlgorithm
  /** How long a key signs. */
  intervalSeconds: number
  /** How long a key is published before it signs, and kept after the last token that it signed. */
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
 * Does with managed keys what is due: makes the first, publishes the next ahead of its time, and
 * retires those whose last token has expired. Of several instances one acts, the others find it done;
 * mostly nothing is due, and one statement tells.
 *
 * @returns the keys that verify from now on.
 */
export async function rotateWhenDue(
  needs: RotationNeeds & { sql: Queryable },
  plan: RotationPlan,
): Promise<SigningKeyRow[]> {
  const stored = await findSigningKeys(needs.sql)
  const now = needs.clock.now()
  const isDue = nextSigningTime(stored, plan, now) ?? outlived(stored, plan, now)[0]
  if (!isDue) return stored
  return underLock(needs, async (sql, keys) => {
    const now = needs.clock.now()
    const due = nextSigningTime(keys, plan, now)
    if (due) await addKey(needs, sql, plan.algorithm, due)
    for (const key of outlived(keys, plan, now)) await retireSigningKey(sql, key.id, now)
  })
}

/** Publishes a new key now, which signs one overlap later. For an operator who does not want to wait. */
export function rotateNow(needs: RotationNeeds, plan: RotationPlan): Promise<SigningKeyRow[]> {
  return underLock(needs, (sql) =>
    addKey(needs, sql, plan.algorithm, after(needs.clock.now(), plan.overlapSeconds)),
  )
}

/**
 * Has no token of this key accepted any more. The only key that signs now has to stay.
 *
 * @returns whether it did, or why not.
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

/** When a key that is to be made now begins to sign; null while none is due. */
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

/** Keys that another one has followed so long ago that no token of theirs is valid any more. */
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
