import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { claimsIn, secondFactors } from '../../../test/support/second-factors.ts'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'
import type { RequiredAssurance } from './step-up.ts'

let auth: TestAuth
let factors: ReturnType<typeof secondFactors>

beforeAll(async () => {
  auth = await startTestAuth()
  factors = secondFactors(auth)
})
afterAll(() => auth.close())

let made = 0
const newEmail = () => `step-up-${++made}@example.test`
const bearing = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

/** Returns the error details for a front end; `passed` without an error. */
async function outcome(pending: Promise<unknown>): Promise<unknown> {
  try {
    await pending
    return 'passed'
  } catch (error) {
    if (!(error instanceof AuthError)) throw error
    return [error.status, error.code, error.details.stepUp]
  }
}

const strict = (token: string, required: RequiredAssurance) =>
  outcome(auth.auth.requireUser(bearing(token), required))
const byToken = (token: string, required: RequiredAssurance) =>
  outcome(auth.auth.requireUser(bearing(token), { ...required, strict: false }))
const both = (token: string, required: RequiredAssurance) =>
  Promise.all([strict(token, required), byToken(token, required)])

const enroll = [403, 'mfa_factor_not_found', 'enroll']
const verify = [403, 'insufficient_aal', 'verify']
const verifyAgain = [403, 'reauthentication_needed', 'verify']
const signInAgain = [403, 'reauthentication_needed', 'sign_in']
/** The token does not contain whether the user has a factor. */
const unknownFactor = [403, 'insufficient_aal', undefined]
const twice = (one: unknown) => [one, one]

describe('a second factor', () => {
  it('must be enrolled by a user without one, also with unverified factors', async () => {
    const { accessToken } = await auth.given.session(newEmail())
    await factors.enrolledApp(accessToken)

    expect(await both(accessToken, { aal: 2 })).toEqual([enroll, unknownFactor])
    expect(await both(accessToken, { aal: 2, within: '5m' })).toEqual([enroll, unknownFactor])
    expect(await both(accessToken, { aal: 1 })).toEqual(twice('passed'))
  })

  it('must be proved by a user who has one', async () => {
    const { user, weak } = await factors.aal2Session(newEmail())
    const { accessToken } = await factors.signIn(user.email)

    expect(await both(accessToken, { aal: 2, within: '5m' })).toEqual([verify, unknownFactor])
    expect(await both(weak.accessToken, { aal: 2 })).toEqual([verify, unknownFactor])
  })

  it('must be enrolled again once it was removed', async () => {
    const { user, app, accessToken } = await factors.aal2Session(newEmail())
    await auth.auth.admin.deleteFactor(user.id, app.id)

    expect(await both(accessToken, { aal: 2 })).toEqual([enroll, 'passed'])
  })
})

describe('within', () => {
  it('requires a recent proof of a second factor', async () => {
    const { app, accessToken, refreshToken } = await factors.aal2Session(newEmail())
    const required = { aal: 2, within: '5m' } as const

    auth.clock.advance(4 * 60)
    expect(await both(accessToken, required)).toEqual(twice('passed'))
    auth.clock.advance(60)
    const refreshed = (await factors.refresh(refreshToken)).body.access_token
    const again = (await factors.prove(refreshed, app)).body.access_token

    expect(await both(accessToken, required)).toEqual(twice(verifyAgain))
    expect(await both(refreshed, required)).toEqual(twice(verifyAgain))
    expect(await both(refreshed, { aal: 2 })).toEqual(twice('passed'))
    expect(await both(refreshed, { aal: 2, within: '1h30m' })).toEqual(twice('passed'))
    expect(await both(again, required)).toEqual(twice('passed'))
  })

  it('does not accept a new sign-in without the factor', async () => {
    const { user } = await factors.aal2Session(newEmail())
    const { accessToken } = await factors.signIn(user.email)

    expect(await both(accessToken, { aal: 2, within: '1h' })).toEqual([verify, unknownFactor])
    expect(await both(accessToken, { within: '1h' })).toEqual(twice('passed'))
  })

  it('without aal requires a recent sign-in by any method, and does not accept a refresh', async () => {
    const { user, accessToken, refreshToken } = await auth.given.session(newEmail())
    auth.clock.advance(10 * 60)
    const { body } = await factors.refresh(refreshToken)
    const { keys } = await auth.deps()
    const now = Math.floor(auth.clock.now().getTime() / 1000)
    const byRefresh = await keys.sign({
      ...claimsIn(accessToken),
      amr: [{ method: 'token_refresh', timestamp: now }],
    })

    for (const token of [accessToken, body.access_token, byRefresh]) {
      expect(await both(token, { within: '5m' })).toEqual(twice(signInAgain))
    }
    const { accessToken: anew } = await factors.signIn(user.email)
    expect(await both(anew, { aal: 1, within: '5m' })).toEqual(twice('passed'))
  })

  it.each([
    ['nothing', undefined],
    ['no list', 'totp'],
    ['names alone', ['totp', 'password']],
    ['an entry of null', [null]],
    ['a time in words', [{ method: 'totp', timestamp: 'now' }]],
    ['a method of no name', [{ timestamp: 9_999_999_999 }]],
    ['another method', [{ method: 'mfa/unheard-of', timestamp: 9_999_999_999 }]],
  ])('finds no second factor in an amr of %s', async (_what, amr) => {
    const { accessToken } = await factors.aal2Session(newEmail())
    const { keys } = await auth.deps()
    const token = await keys.sign({ ...claimsIn(accessToken), amr } as never)

    expect(await both(token, { aal: 2, within: '5m' })).toEqual(twice(verifyAgain))
  })
})

it('an ended session is rejected as such, with any proof', async () => {
  const { accessToken } = await factors.aal2Session(newEmail())
  await auth.auth.api.signOut({ accessToken })
  const rejection = [401, 'session_not_found', undefined]

  expect(await strict(accessToken, { aal: 2, within: '5m' })).toEqual(rejection)
  expect(await outcome(auth.auth.requireUser({ headers: {} }, { aal: 2 }))).toEqual([
    401,
    'no_authorization',
    undefined,
  ])
})

it.each<[string, unknown]>([
  ['a level that there is not', { aal: 3 }],
  ['a level as text', { aal: 'aal2' }],
  ['a level of null', { aal: null }],
  ['a number for a duration', { within: 300 }],
  ['a duration without a unit', { within: '300' }],
  ['a duration in words', { within: '5 minutes' }],
  ['an empty duration', { within: '' }],
  ['no time at all', { within: '0' }],
  ['less than the precision of a token', { within: '500ms' }],
  ['a time to come', { within: '-5m' }],
  ['a duration of null', { within: null }],
  ['a misspelled option', { withn: '5m' }],
  ['no options', 2],
  ['null', null],
])('%s is a TypeError, with or without a token', async (_what, options) => {
  for (const strict of [true, false]) {
    const given = typeof options === 'object' && options ? { ...options, strict } : options
    const pending = auth.auth.requireUser({ headers: {} }, given as RequiredAssurance)
    await expect(pending).rejects.toThrow(TypeError)
  }
})

it.each([
  ['no argument', undefined],
  ['null', null],
  ['a token', 'eyJ'],
  ['an object without headers', {}],
  ['an event without headers', { req: {} }],
])('%s in place of a request is a TypeError that names it', async (_what, request) => {
  for (const options of [{}, { strict: false }]) {
    await expect(auth.auth.requireUser(request as never, options as never)).rejects.toThrow(
      'request must be a Request, a request of node:http or an event of h3, with its headers',
    )
  }
})
