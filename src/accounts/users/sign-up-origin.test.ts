import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import {
  type AddressRequest,
  isConfirmedBy,
  type SignUpOrigin,
  signUpOriginAfter,
  signUpOriginAfterExpression,
} from './sign-up-origin.ts'

// A rule exists in TypeScript and in SQL. These tests compare both forms for all inputs.

let auth: TestAuth

beforeAll(async () => {
  auth = await startTestAuth()
})
afterAll(() => auth.close())

const now = new Date('2026-03-01T12:00:00Z')
const keys: string[] = []
const by = ['signup', 'otp', 'contested'] as const
const from = [null, 'ada', 'eve', 'operator', 'import']
const requested = ['signup', 'otp', 'recover', 'resend'] as const
const clients = [null, 'ada', 'eve']

const signUpOrigins: (SignUpOrigin | null)[] = [
  null,
  ...by.flatMap((one) => from.map((client) => ({ by: one, from: client, keys }))),
]
const plain = {
  emailConfirmedAt: null,
  phoneConfirmedAt: null,
}
const proofs = [plain, { ...plain, emailConfirmedAt: now }, { ...plain, phoneConfirmedAt: now }]
const users = signUpOrigins.flatMap((signUpOrigin) =>
  proofs.map((user) => ({ user, signUpOrigin })),
)
const requests = requested.flatMap((what) => clients.map((client) => ({ by: what, from: client })))

interface SignUpOriginCase {
  user: (typeof proofs)[number]
  signUpOrigin: SignUpOrigin | null
  request?: AddressRequest
}

/** Returns the results of PostgreSQL. */
const inSql = async <T>(expression: string, rows: readonly SignUpOriginCase[]): Promise<T[]> => {
  const values = rows.map(({ user, signUpOrigin, request }, place) => ({
    place,
    by: request?.by ?? null,
    from: request?.from ?? null,
    registered_by: signUpOrigin?.by ?? null,
    registered_from: signUpOrigin?.from ?? null,
    email_confirmed_at: user.emailConfirmedAt,
    phone_confirmed_at: user.phoneConfirmedAt,
  }))
  const found = await auth.rows<{ found: T }>(
    `select ${expression} as found from jsonb_to_recordset($1::jsonb) as u (
       place int, "by" text, "from" text, registered_by text,
       registered_from text, email_confirmed_at timestamptz, phone_confirmed_at timestamptz)
     order by place`,
    [JSON.stringify(values)],
  )
  return found.map((row) => row.found)
}

it('both rules return the same sign-up origin after another request', async () => {
  const all = users.flatMap((one) => requests.map((request) => ({ ...one, request })))

  const found = await inSql<string | null>(signUpOriginAfterExpression('u', 'u.by', 'u.from'), all)

  expect(all).toHaveLength(16 * proofs.length * 12)
  expect(found).toEqual(all.map((one) => signUpOriginAfter(one, one.request)?.by ?? null))
})

it('a sign-up origin stays unchanged without a request', async () => {
  const found = await inSql(signUpOriginAfterExpression('u', 'u.by', 'u.from'), users)

  expect(found).toEqual(users.map(({ signUpOrigin }) => signUpOrigin?.by ?? null))
})

it.each([
  ['the next sign-up of a client replaces its last one', 'signup', 'ada', 'signup'],
  ['a code for the same client replaces it, too', 'otp', 'ada', 'otp'],
  ['another message for the same client changes nothing', 'resend', 'ada', 'signup'],
  ['another client competes', 'signup', 'eve', 'contested'],
  ['a client that cannot be distinguished competes', 'recover', null, 'contested'],
] as const)('%s', (_rule, what, client, after) => {
  const user = { emailConfirmedAt: null, phoneConfirmedAt: null }
  const signUpOrigin = { by: 'signup', from: 'ada', keys: ['name'] } as const

  const { by: found } = signUpOriginAfter({ user, signUpOrigin }, { by: what, from: client }) ?? {}

  expect(found).toBe(after)
})

it('S126: a message confirms the sign-up of a client here, and none of an import', () => {
  const confirmed = signUpOrigins.filter((one) => one && isConfirmedBy(one, 'signup'))

  expect(confirmed.map((one) => [one?.by, one?.from])).toEqual(
    [null, 'ada', 'eve', 'operator'].map((client) => ['signup', client]),
  )
  expect(signUpOrigins.some((one) => one && isConfirmedBy(one, 'otp'))).toBe(false)
})
