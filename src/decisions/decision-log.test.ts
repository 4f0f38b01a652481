import { expect, it } from 'vitest'
import { stderrLogger } from '../observability/logger.ts'
import { openDecisionLog } from './decision-log.ts'

it('stores what was decided about a request as of one moment, so that it is told in its order', async () => {
  let moment = 0
  const clock = { now: () => new Date(++moment) }
  const asked: unknown[] = []
  const sql = {
    table: (name: string) => name,
    query: async (_statement: unknown, values: unknown) => {
      asked.push(values)
      return []
    },
  }
  const log = openDecisionLog({ sql: sql as never, clock, logger: stderrLogger, isFrozen: true })

  log.note({
    requestId: 'one',
    endpoint: 'POST /signup',
    status: 403,
    client: null,
    decisions: [
      { kind: 'hook', rule: 'before-user-created' },
      { kind: 'policy', rule: 'unknown' },
    ],
  })
  await log.flush()

  expect(asked).toHaveLength(1)
  expect(new Set(JSON.stringify(asked).match(/1970-01-01T[\d:.]+Z/g))).toHaveProperty('size', 1)
})
