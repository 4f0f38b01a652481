import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CallOptions } from '../src/index.ts'
import { type Host, openHost } from './support/host.ts'
import { type GivenPerson, givenPerson, placesOf, wordsOf } from './support/people.ts'
import {
  startTestAuth,
  type TestAuth,
  testPassword,
  withoutAutoconfirm,
} from './support/test-auth.ts'

// An erasure leaves nothing of concurrent activity of the user: neither rows from before it could
// begin, nor rows that waited for it. A host's transaction delays one of the two.

let auth: TestAuth
let host: Host

beforeAll(async () => {
  auth = await startTestAuth(withoutAutoconfirm)
  host = await openHost(auth.databaseUrl)
})
afterAll(async () => {
  await host.close()
  await auth.close()
})

const pause = () => new Promise((resolve) => setTimeout(resolve, 100))

type Act = (person: GivenPerson, options: CallOptions) => Promise<unknown>

const acts: Record<string, Act> = {
  'a sign-in': ({ email }, options) =>
    auth.auth.api.signInWithPassword({ email, password: testPassword }, options),
  'a sign-in with a wrong password': ({ email }, options) =>
    auth.auth.api.signInWithPassword({ email, password: 'wrong' }, options).catch(() => {}),
  'a refresh': ({ refreshToken }, options) =>
    auth.auth.api.refreshSession({ refreshToken }, options),
  'a change': ({ accessToken }, options) =>
    auth.auth.api.updateUser({ accessToken, data: { a: 1 } }, options),
  'a sign-out': ({ accessToken }, options) => auth.auth.api.signOut({ accessToken }, options),
  'a request for a code': ({ email }, options) =>
    auth.auth.api.signInWithOtp({ email, createUser: false }, options),
  'a request for a nonce': ({ accessToken }, options) =>
    auth.auth.api.reauthenticate({ accessToken }, options),
  'a message that is asked for again': ({ email }, options) =>
    auth.auth.api.resend({ type: 'email_change', email }, options),
  'a second sign-up': ({ email }, options) =>
    auth.auth.api.signUp({ email, password: testPassword }, options),
  'an enrollment': ({ accessToken }, options) =>
    auth.auth.api.enrollFactor({ accessToken, factorType: 'totp', friendlyName: 'x' }, options),
  'a challenge': ({ accessToken, user }, options) =>
    auth.auth.api.challengeFactor({ accessToken, factorId: user.factors[0]?.id ?? '' }, options),
  'a change by an operator': ({ user }, { em }) =>
    auth.auth.admin.updateUser(user.id, { role: 'other' }, { em }),
  'a ban': ({ user }, { em }) => auth.auth.admin.banUser(user.id, {}, { em }),
  'a deletion': ({ user }, { em }) => auth.auth.admin.deleteUser(user.id, {}, { em }),
}

const from = ({ ip, userAgent }: GivenPerson): CallOptions => ({ ip, userAgent })

describe.each(Object.entries(acts))('%s', (_name, act) => {
  it('that has not committed when the erasure begins is erased with the rest', async () => {
    const person = await givenPerson(auth)
    let erasing: Promise<void> | undefined

    await host.transaction(async (em) => {
      await act(person, { ...from(person), em })
      erasing = auth.auth.admin.eraseUser(person.user.id)
      await pause()
    })
    await erasing

    expect(await placesOf(auth, wordsOf(person))).toEqual([])
  })

  it('that begins before the erasure commits leaves no row', async () => {
    const person = await givenPerson(auth)
    let acting: Promise<unknown> | undefined

    await host.transaction(async (em) => {
      await auth.auth.admin.eraseUser(person.user.id, { em })
      acting = act(person, from(person)).catch((error: unknown) => error)
      await pause()
    })
    const outcome = await acting

    expect(outcome instanceof Error ? outcome.name : 'AuthError').toBe('AuthError')
    expect(await placesOf(auth, wordsOf(person))).toEqual([])
  })
})
