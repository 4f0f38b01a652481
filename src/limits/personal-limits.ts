import { exported, personalTable } from '../platform/sql/personal-table.ts'
import type { RowOf } from '../platform/sql/row-of.ts'
import type { PasswordAttemptEntity } from './password-attempt.entity.ts'
import type { RateLimitBucket as RateLimitBucketEntity } from './rate-limit-bucket.entity.ts'

export type PasswordAttemptRow = RowOf<PasswordAttemptEntity>

export type RateLimitBucketRow = RowOf<RateLimitBucketEntity>

/** Passwords that were tried for the person's addresses. */
export const personalPasswordAttempts = personalTable<PasswordAttemptRow>()({
  name: 'password_attempts',
  belongsBy: { key: 'key' },
  columns: {
    key: exported,
    failures: exported,
    last_attempt: exported,
    attempted_at: exported,
  },
  erasure: { rows: 'deleted' },
})

const forgotten =
  'a count under a hash, forgotten once its limit is full again; whoever could end it by deleting an account ' +
  'could have an address flooded with messages, and go on guessing its codes'

/** What is left of the intervals and guesses of the person's addresses. */
export const personalLimits = personalTable<RateLimitBucketRow>()({
  name: 'rate_limit_buckets',
  belongsBy: { key: 'key' },
  columns: {
    key: exported,
    tokens: exported,
    refilled_at: exported,
  },
  erasure: {
    rows: 'kept',
    cleared: [],
    kept: { key: forgotten, tokens: forgotten, refilled_at: forgotten },
  },
})
