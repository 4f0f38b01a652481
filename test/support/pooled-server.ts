import { inject } from 'vitest'
import type { Pooled } from './pooled-environment.ts'

/**
 * Returns the pooler in front of the server of the tests: `TEST_POOLER=pgbouncer npm run test:floods`
 * runs services behind it, and so for other tests. Null without `TEST_POOLER`.
 */
export const pooledServer = (): Pooled | null =>
  process.env['TEST_POOLER'] ? inject('pooled') : null
