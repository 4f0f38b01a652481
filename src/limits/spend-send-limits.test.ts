import { expect, it } from 'vitest'
import { unlimited } from './send-limits.ts'
import { spendLimits } from './spend-send-limits.sql.ts'

it('reads no bucket where the look-up of the user has spent the limits, so that the response time reveals no known address', () => {
  const { text, values } = spendLimits({ databaseNow: () => null }, unlimited)
  const sql = {
    table: () => {
      throw new Error('a table is used')
    },
  }

  expect(values).toEqual({})
  expect(text(sql as never, {})).toMatch(/^spent as \(/)
})
