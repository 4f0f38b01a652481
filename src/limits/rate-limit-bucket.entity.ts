import { defineEntity, p } from '@mikro-orm/core'
import type { RowOf } from '../platform/sql/row-of.ts'

const RateLimitBucketSchema = defineEntity({
  name: 'RateLimitBucket',
  properties: {
    key: p.string().length(64).primary(),
    tokens: p.double().$type<number>(),
    refilledAt: p.datetime().index(),
  },
})

/**
 * The remaining tokens of one limit. The table is unlogged: a crash empties it, which is harmless.
 */
export class RateLimitBucket extends RateLimitBucketSchema.class {}
RateLimitBucketSchema.setClass(RateLimitBucket)

declare module '../platform/sql/tables.ts' {
  interface Tables {
    rate_limit_buckets: RowOf<RateLimitBucket>
  }
}
