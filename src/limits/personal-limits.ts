import { exported, personalTable } from '../platform/sql/personal-table.ts'
import type { RowOf } from '../platform/sql/row-of.ts'
import type { PasswordAttemptEntity } from './password-attempt.entity.ts'
import type { RateLimitBucket as RateLimitBucketEntity } from './rate-limit-bucket.entity.ts'

export type PasswordAttemptRow = RowOf<PasswordAttemptEntity>

export type RateLimitBucketRow = RowOf<RateLimitBucketEntity>

/** The password attempts for the user's addresses. */
export const personalPasswordAttempts = personalTable<PasswordAttemptRow>()({
  name: 'password_attempts',
  isUnlogged: true,
  belongsBy: { key: 'key' },
  columns: {
    key: exported,
    failures: exported,
    last_attempt: exported,
    attempted_at: exported,
  },
  erasure: { rows: 'deleted' },
})

const deletedWithUser =
  'a count under a hash, deleted once its limit is full again; if deleting the account ended it, an attacker ' +
  'could flood an address with messages and continue to guess its codes'

/** The intervals and attempt counters of the user's addresses. */
export const personalLimits = personalTable<RateLimitBucketRow>()({
  name: 'rate_limit_buckets',
  isUnlogged: true,
  belongsBy: { key: 'key' },
  columns: {
    key: exported,
    tokens: exported,
    refilled_at: exported,
  },
  erasure: {
    rows: 'kept',
    cleared: [],
    kept: { key: deletedWithUser, tokens: deletedWithUser, refilled_at: deletedWithUser },
  },
})
