import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import { findForSignIn, type SignInLookUp } from './find-for-sign-in.sql.ts'

let auth: TestAuth
beforeAll(async () => {
  auth = await startTestAuth()
})
afterAll(() => auth.close())

/** Looks a user up, as the second of two attempts has to wait. */
async function lookUp(email: string, admits = true) {
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
