import { exported, personalTable } from '../sql/personal-table.ts'

export interface PasswordAttemptRow {
  key: string
  failures: number
  last_attempt: string
  attempted_at: string
}

export interface RateLimitBucketRow {
  key: string
  tokens: number
  refilled_at: string
}

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
