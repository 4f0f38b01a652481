import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import {
  isReclaimable,
  isReclaimableCondition,
  keepsAddress,
  keepsAddressCondition,
  releasesAddressCondition,
} from './kept-address.ts'
import type { SignUpOrigin } from './sign-up-origin.ts'

// The rules exist in TypeScript and in SQL. These tests compare them for all inputs.

let auth: TestAuth

beforeAll(async () => {
  auth = await startTestAuth()
})
afterAll(() => auth.close())

const now = new Date('2026-03-01T12:00:00Z')
const nowInSql = `'${now.toISOString()}'::timestamptz`
const kinds = ['email', 'phone'] as const

const signUpOrigins: (SignUpOrigin | null)[] = [
  null,
  ...(['signup', 'otp', 'contested'] as const).flatMap((by) =>
    [null, 'ada', 'operator', 'import'].map((from) => ({ by, from, keys: [] })),
  ),
]
const accounts = signUpOrigins.flatMap((signUpOrigin) =>
  [null, now].flatMap((emailConfirmedAt) =>
    [null, now].flatMap((phoneConfirmedAt) =>
      [null, now, new Date(now.getTime() + 1)].flatMap((bannedUntil) =>
        [false, true].map((isSsoUser) => ({
          user: { emailConfirmedAt, phoneConfirmedAt, bannedUntil, isSsoUser },
          signUpOrigin,
        })),
      ),
    ),
  ),
)

/** Returns the results of PostgreSQL for all accounts. */
const inSql = async (condition: string): Promise<(boolean | null)[]> => {
  const values = accounts.map(({ user, signUpOrigin }, place) => ({
    place,
    is_sso_user: user.isSsoUser,
    registered_by: signUpOrigin?.by ?? null,
    registered_from: signUpOrigin?.from ?? null,
    email_confirmed_at: user.emailConfirmedAt,
    phone_confirmed_at: user.phoneConfirmedAt,
    banned_until: user.bannedUntil,
  }))
  const found = await auth.rows<{ found: boolean | null }>(
    `select ${condition} as found from jsonb_to_recordset($1::jsonb) as u (
       place int, is_sso_user boolean, registered_by text, registered_from text,
       email_confirmed_at timestamptz, phone_confirmed_at timestamptz, banned_until timestamptz)
     order by place`,
    [JSON.stringify(values)],
  )
  return found.map((row) => row.found)
}

it('both rules return the same reclaimable accounts', async () => {
  const found = await inSql(isReclaimableCondition('u', nowInSql))

  expect(found).toEqual(accounts.map((one) => isReclaimable(one, now)))
  // Of three kinds, by two clients, without a ban and with one that has ended.
  expect(found.filter(Boolean)).toHaveLength(3 * 2 * 2)
})

it.each(kinds)('both rules return the same accounts that keep their %s', async (kind) => {
  const found = await inSql(keepsAddressCondition('u', kind, nowInSql))

  expect(found).toEqual(accounts.map((one) => keepsAddress(one, kind, now)))
  expect(new Set(found)).toEqual(new Set([true, false]))
})

it.each(kinds)('an account that releases its %s does not keep it', async (kind) => {
  const released = await inSql(releasesAddressCondition('u', kind))

  const kept = accounts.filter((one, place) => released[place] && keepsAddress(one, kind, now))
  expect(released.filter(Boolean).length).toBeGreaterThan(0)
  expect(kept).toEqual([])
})
