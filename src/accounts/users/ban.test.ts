import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import { isBannedCondition } from './ban.sql.ts'
import { isBanned } from './user.ts'

let auth: TestAuth

beforeAll(async () => {
  auth = await startTestAuth()
})
afterAll(() => auth.close())

const now = new Date('2026-03-01T12:00:00Z')
const after = (ms: number) => new Date(now.getTime() + ms)
const bans = [null, after(-1), now, after(1)]

it('both rules return the same banned users', async () => {
  const condition = isBannedCondition('u', '$2::timestamptz')
  const found = await auth.rows<{ banned: boolean | null; released: boolean | null }>(
    `select ${condition} as banned, not ${condition} as released
     from jsonb_to_recordset($1::jsonb) as u (place int, banned_until timestamptz) order by place`,
    [JSON.stringify(bans.map((until, place) => ({ place, banned_until: until }))), now],
  )

  const banned = bans.map((bannedUntil) => isBanned({ bannedUntil }, now))
  expect(banned).toEqual([false, false, false, true])
  expect(found).toEqual(banned.map((one) => ({ banned: one, released: !one })))
})
