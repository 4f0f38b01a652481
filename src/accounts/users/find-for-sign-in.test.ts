import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import { findForSignIn, type SignInLookUp } from './find-for-sign-in.sql.ts'
import { userAttemptKey } from './user-attempt-key.ts'

let auth: TestAuth
beforeAll(async () => {
  auth = await startTestAuth()
})
afterAll(() => auth.close())

/** Looks a user up, as the second of two attempts has to wait. */
async function lookUp(email: string, admits = true, changes: Partial<SignInLookUp> = {}) {
  const { database } = await auth.deps()
  const given: SignInLookUp = {
    subject: { kind: 'email', value: email },
    audience: 'authenticated',
    attemptId: crypto.randomUUID(),
    keys: { anywhere: email, fromClient: `${email} from a client` },
    network: null,
    place: null,
    knownSince: new Date(0),
    databaseNow: null,
    freeFailures: 0,
    maxWaitSeconds: 900,
    admits: { atUsualPlace: admits, elsewhere: admits },
    ...changes,
  }
  return findForSignIn(database.sql, given)
}

// Such a response would take longer for an address with a user than for one without.
it('S118: reads no user for an attempt that has to wait, or that is rejected', async () => {
  const { id, email } = await auth.given.user()

  const rejected = await lookUp(email ?? '', false)
  const counted = await lookUp(email ?? '')
  const waiting = await lookUp(email ?? '')

  expect(rejected).toMatchObject({ found: null, attemptKeys: [] })
  expect(counted).toMatchObject({ found: { user: { id } }, waitSeconds: null })
  expect(waiting).toMatchObject({ found: null, waitSeconds: expect.any(Number) })
})

it.each([
  ['a network that the user signed in from', '203.0.113.7/32', '203.0.113.7/32'],
  ['another network', '198.51.100.7/32', null],
  ['no network', null, null],
])('stores the key of the user for %s', async (_case, network, counted) => {
  const { user } = await auth.given.session(`${crypto.randomUUID()}@example.com`)
  await auth.rows(`update auth.sessions set opened_ip = '203.0.113.7' where user_id = $1`, [
    user.id,
  ])

  await lookUp(user.email ?? '', true, { network })

  const key = userAttemptKey(user.id, 'email', counted)
  expect(
    await auth.rows('select failures from auth.password_attempts where key = $1', [key]),
  ).toEqual([{ failures: 1 }])
})
