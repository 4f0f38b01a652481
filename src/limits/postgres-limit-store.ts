import type { Clock } from '../platform/kit/clock.ts'
import { sha256Hex } from '../platform/kit/digest.ts'
import type { Queryable } from '../platform/sql/queryable.ts'
import type { LimitStore } from './limit-store.ts'
import { takeFromBuckets } from './take-from-bucket.sql.ts'

/** Counts in the database, which all instances share, in one statement per request. */
export const postgresLimitStore = (sql: Queryable, clock: Clock): LimitStore => ({
  take: async (counted) => {
    const hashed = counted.map(({ key, limit }) => ({ key: sha256Hex(key), limit }))
    const waitSeconds = await takeFromBuckets(sql, hashed, clock.now())
    return waitSeconds === null
      ? { allowed: true }
      : { allowed: false, retryAfterSeconds: waitSeconds }
  },
})
