import type { Clock } from '../kit/clock.ts'
import { sha256Hex } from '../kit/digest.ts'
import type { Queryable } from '../sql/queryable.ts'
import { type LimitStore, secondsUntilNext } from './limit-store.ts'
import { takeFromBucket } from './take-from-bucket.sql.ts'

/** Counts in the database, which all instances share: one statement per request. */
export const postgresLimitStore = (sql: Queryable, clock: Clock): LimitStore => ({
  take: async (key, limit) => {
    const taken = await takeFromBucket(sql, sha256Hex(key), limit, clock.now())
    return taken
      ? { allowed: true }
      : { allowed: false, retryAfterSeconds: secondsUntilNext(limit) }
  },
})
