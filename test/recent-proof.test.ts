import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Endpoint } from '../src/endpoints/http/endpoint.ts'
import { guardsOf } from '../src/endpoints/http/guards.ts'
import { AuthError } from '../src/platform/errors/auth-error.ts'
import { endpoints } from '../src/service/endpoints.ts'
import { type EveryWayIn, firstFactors, openEveryWayIn } from './support/assurance/first-factors.ts'
import { type GateRequest, gates, isPassed, type StepUpGate } from './support/assurance/gates.ts'
import {
  type Enrolment,
  enrolled,
  enrolments,
  giveAway,
} from './support/assurance/second-factors.ts'
import { givenPasskey, passkeysOf } from './support/passkeys.ts'
import { claimsIn, type SecondFactors, secondFactors } from './support/second-factors.ts'
import { startTestAuth, type TestAuth } from './support/test-auth.ts'

// Endpoints that add a credential × age of the last authentication × factor or none: rule 20 of the
// design, issue 30 S06 and S07.

const bearing = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

/** Returns the error of `requireUser` in both ways to decide; `passed` without one. */
async function decisionsOf(auth: TestAuth, token: string, required: object): Promise<unknown[]> {
  const outcome = (decision: Promise<unknown>) =>
    decision.then(
      () => 'passed',
      (error: unknown) => {
        if (!(error instanceof AuthError)) throw error
        return [error.code, error.details.stepUp]
      },
    )
  const { requireUser } = auth.auth
  return Promise.all([
    outcome(requireUser(bearing(token), required)),
    outcome(requireUser(bearing(token), { ...required, strict: false })),
  ])
}

const passed = ['passed', 'passed']
const twice = (code: string, stepUp?: string) => [
  [code, stepUp],
  [code, stepUp],
]
const signInAgain = twice('reauthentication_needed', 'sign_in')
const verifyAgain = twice('reauthentication_needed', 'verify')

describe('a credential that is added', () => {
  let auth: TestAuth
  let factors: SecondFactors
  let made = 0
  const codes = { email: new Map<string, string>(), phone: new Map<string, string>() }

  beforeAll(async () => {
    auth = await startTestAuth({
      oauthServer: {
        enabled: true,
        allowDynamicRegistration: true,
        authorizationPath: '/consent',
        deviceFlow: { enabled: true },
      },
      security: { recentProofSeconds: 0 },
      passkeys: { enabled: true },
      email: {
        autoconfirm: false,
        maxFrequencySeconds: 0,
        secureChangeEnabled: false,
        send: ({ to, text }) => void codes.email.set(to, text.match(/\b\d{6}\b/)?.[0] ?? ''),
      },
      sms: {
        autoconfirm: false,
        send: ({ to, code }) => void codes.phone.set(to.replace('+', ''), code ?? ''),
      },
    })
    factors = secondFactors(auth)
  })
  afterAll(() => auth.close())

  /** Creates a session whose sign-in has an age in seconds. */
  async function sessionOfAge(seconds: number) {
    const { user, ...session } = await auth.given.session()
    auth.clock.advance(seconds)
    const { body } = await factors.refresh(session.refreshToken)
    return { user, accessToken: String(body.access_token) }
  }

  const factorWithin = { aal: 2, within: '5m' }

  it('S07: as the first factor raises an old session, which does not become recent', async () => {
    const { user, accessToken } = await sessionOfAge(3000)
    const app = await factors.enrolledApp(accessToken)
    const { body } = await factors.prove(accessToken, app)
    const token = String(body.access_token)

    expect(await decisionsOf(auth, token, { aal: 2 })).toEqual(passed)
    for (const within of ['5m', '2h']) {
      expect(await decisionsOf(auth, token, { aal: 2, within })).toEqual(signInAgain)
    }
    expect(await decisionsOf(auth, token, { within: '5m' })).toEqual(signInAgain)
    expect(claimsIn(token).aal).toBe('aal2')
    auth.clock.advance(30)
    const again = await factors.prove(token, app)
    expect(await decisionsOf(auth, again.body.access_token, factorWithin)).toEqual(signInAgain)

    auth.clock.advance(30)
    const later = await factors.signIn(user.email)
    const proved = await factors.prove(later.accessToken, app)
    expect(await decisionsOf(auth, proved.body.access_token, factorWithin)).toEqual(passed)
  })

  it('S07: as the first factor does not make an old session recent by a concurrent change of address', async () => {
    const { accessToken } = await sessionOfAge(3000)
    const email = `moment-${++made}@example.test`
    await auth.put('/user', { email }, { token: accessToken })
    await (await auth.deps()).outbox.settled()
    const code = codes.email.get(email)
    const { body } = await auth.post('/verify', { type: 'email_change', email, token: code })
    const app = await factors.enrolledApp(body.access_token)
    const proved = await factors.prove(body.access_token, app)

    expect(await decisionsOf(auth, proved.body.access_token, { aal: 2 })).toEqual(passed)
    expect(await decisionsOf(auth, proved.body.access_token, factorWithin)).toEqual(signInAgain)
  })

  it('S07: as the first factor of a recent session is recent, then and later', async () => {
    const { accessToken } = await sessionOfAge(500)
    const app = await factors.enrolledApp(accessToken)
    const { body } = await factors.prove(accessToken, app)
    expect(await decisionsOf(auth, body.access_token, factorWithin)).toEqual(passed)

    auth.clock.advance(3000)
    const { body: refreshed } = await factors.refresh(body.refresh_token)
    expect(await decisionsOf(auth, refreshed.access_token, factorWithin)).toEqual(verifyAgain)
    const again = await factors.prove(refreshed.access_token, app)
    expect(await decisionsOf(auth, again.body.access_token, factorWithin)).toEqual(passed)
  })

  it('S06: as another factor, or as recovery codes, makes no old session recent', async () => {
    const session = await factors.aal2Session()
    auth.clock.advance(3000)
    const { body: old } = await factors.refresh(session.refreshToken)
    const app = await factors.enrolledApp(old.access_token, 'of the attacker')
    const byApp = await factors.prove(old.access_token, app)
    expect(await decisionsOf(auth, byApp.body.access_token, factorWithin)).toEqual(verifyAgain)

    const { body: set } = await factors.generateCodes(byApp.body.access_token)
    const byCode = await factors.useCode(byApp.body.access_token, set.codes[0])
    expect(await decisionsOf(auth, byCode.body.access_token, factorWithin)).toEqual(verifyAgain)
    const regenerated = await auth.post('/factors/recovery-codes/regenerate', undefined, {
      token: byCode.body.access_token,
    })
    const byNewCode = await factors.useCode(byCode.body.access_token, regenerated.body.codes[0])
    expect(await decisionsOf(auth, byNewCode.body.access_token, factorWithin)).toEqual(verifyAgain)

    const own = await factors.prove(byNewCode.body.access_token, session.app)
    expect(await decisionsOf(auth, own.body.access_token, factorWithin)).toEqual(passed)
  })

  /** Creates a session that the code sent to a new address opens. */
  async function changedBy(token: string, kind: 'email' | 'phone') {
    const to = kind === 'email' ? `new-${++made}@example.test` : `4915220${10_000 + ++made}`
    const { status, text } = await auth.put('/user', { [kind]: to }, { token })
    if (status !== 200) throw new Error(text)
    await (await auth.deps()).outbox.settled()
    const code = kind === 'email' ? codes.email.get(to) : codes.phone.get(to)
    const type = `${kind}_change`
    const { body } = await auth.post('/verify', { type, [kind]: to, token: code })
    if (!body.access_token) throw new Error(JSON.stringify(body))
    return String(body.access_token)
  }

  it.each(['email', 'phone'] as const)(
    'S07: as a new %s opens no session that is more recent than the requesting one',
    async (kind) => {
      const old = await sessionOfAge(3000)
      const token = await changedBy(old.accessToken, kind)
      expect(await decisionsOf(auth, token, { within: '10m' })).toEqual(signInAgain)
      expect(await decisionsOf(auth, token, { within: '1h' })).toEqual(passed)

      const recent = await sessionOfAge(500)
      const again = await changedBy(recent.accessToken, kind)
      expect(await decisionsOf(auth, again, { within: '5m' })).toEqual(passed)
    },
  )

  it.each(['email', 'phone'] as const)(
    'S06: as a new %s that was requested before the first factor, or without a recent proof, is invalid once a factor is verified',
    async (kind) => {
      for (const [hasFactor, age, expected] of [
        [false, 3000, 'otp_expired'],
        [false, 500, 'otp_expired'],
        [true, 3000, 'otp_expired'],
        [true, 500, undefined],
      ] as const) {
        const session = hasFactor ? await factors.aal2Session() : await auth.given.session()
        const { user } = session
        auth.clock.advance(age)
        const accessToken = (await factors.refresh(session.refreshToken)).body.access_token
        const to = kind === 'email' ? `new-${++made}@example.test` : `4915220${10_000 + ++made}`
        await auth.put('/user', { [kind]: to }, { token: accessToken })
        const app = await factors.enrolledApp(accessToken, 'a new app')
        await factors.prove(accessToken, app)
        const { outbox } = await auth.deps()
        await outbox.settled()
        const sent = codes[kind].get(to)

        const type = `${kind}_change`
        const { body } = await auth.post('/verify', { type, [kind]: to, token: sent })
        expect(body.error_code, `requested after ${age} s, ${hasFactor}`).toBe(expected)

        codes[kind].delete(to)
        await auth.post('/resend', { type, email: user.email })
        await outbox.settled()
        expect(codes[kind].get(to)).toBeUndefined()
        const later = await auth.auth.admin.getUser(user.id)
        expect(later[kind] === to).toBe(expected === undefined)
      }
    },
  )

  it('S07: as a password or a passkey does not change the age of the session, and a later one is recent', async () => {
    const { user, accessToken } = await sessionOfAge(3000)
    const password = 'another new password'
    expect((await auth.put('/user', { password }, { token: accessToken })).status).toBe(200)
    const { authenticator } = await passkeysOf(auth).userOf({
      user,
      accessToken,
      refreshToken: '',
    })
    expect(await decisionsOf(auth, accessToken, { within: '10m' })).toEqual(signInAgain)

    const bySignIn = await passkeysOf(auth).signIn(authenticator)
    expect(await decisionsOf(auth, bySignIn.body.access_token, { within: '5m' })).toEqual(passed)
    expect(await decisionsOf(auth, accessToken, { within: '10m' })).toEqual(signInAgain)
  })

  it('S06: is not recent by a verification an hour ago, where the configuration accepts two hours', async () => {
    const lenient = await startTestAuth({ security: { recentProofSeconds: 7200 } })
    const users = secondFactors(lenient)
    const { refreshToken } = await lenient.given.session()
    lenient.clock.advance(3000)
    const { body } = await users.refresh(refreshToken)
    const app = await users.enrolledApp(String(body.access_token))

    const proved = await users.prove(String(body.access_token), app)

    expect(await decisionsOf(lenient, proved.body.access_token, factorWithin)).toEqual(signInAgain)
    await lenient.close()
  })

  it("S06: does not change the age of the session's own verification", async () => {
    const session = await factors.aal2Session()
    auth.clock.advance(900)
    const app = await factors.enrolledApp(session.accessToken, 'of the attacker')
    const { body } = await factors.prove(session.accessToken, app)

    const ages = await Promise.all(
      ['10m', '20m'].map((within) => decisionsOf(auth, body.access_token, { aal: 2, within })),
    )
    expect(ages).toEqual([verifyAgain, passed])
  })
})

describe('a user with a factor', () => {
  let world: EveryWayIn

  beforeAll(async () => {
    world = await openEveryWayIn()
  })
  afterAll(() => world.close())

  const endpointsOf = ({ name }: StepUpGate): readonly Endpoint[] =>
    endpoints.filter(({ method, path }) => name.replace(/,.*/, '') === `${method} ${path}`)
  const needsProof = (gate: StepUpGate) =>
    endpointsOf(gate).some(({ needsRecentProof }) => needsRecentProof === true)
  const guarded = gates.filter(needsProof)

  /** Creates a caller with every resource that the gates address. */
  async function caller(
    enroll: Enrolment | null,
  ): Promise<GateRequest & { prove?: Knocking['prove'] }> {
    const { auth } = world
    const factor = enroll && (await enrolled(world, enroll))
    const session = await firstFactors.password[1](world)
    const userId = String(claimsIn(session.access_token).sub)
    if (factor) await giveAway(world, factor.userId, userId)
    const [identity] = await auth.rows<{ id: string }>(
      `insert into auth.identities (id, user_id, provider, subject, identity_data, created_at, updated_at)
        values (gen_random_uuid(), $1, 'github', gen_random_uuid(), '{}', $2, $2) returning id`,
      [userId, auth.clock.now()],
    )
    return {
      world,
      token: session.access_token,
      factorId: factor?.factorId ?? unknownId,
      begunId: factor?.begunId ?? unknownId,
      passkeyId: await givenPasskey(auth, userId),
      identityId: identity?.id ?? '',
      ...(factor && { prove: factor.prove }),
    }
  }

  /** Creates the same with a verification of the factor at an age in seconds. */
  async function proved(enroll: Enrolment, seconds: number): Promise<GateRequest> {
    const { prove, ...weak } = await caller(enroll)
    const answer = await prove?.(weak.token)
    world.auth.clock.advance(seconds)
    return { ...weak, token: String(answer?.body.access_token) }
  }

  it.each(Object.entries(enrolments))(
    'S06: adds and replaces no credential by an older verification: %s',
    async (_name, [, enroll]) => {
      for (const age of [601, 3000]) {
        const old = await proved(enroll, age)
        for (const gate of guarded) {
          const expected = [403, 'reauthentication_needed']
          expect(await gate.send(old), `${gate.name} after ${age} s`).toEqual(expected)
        }
      }
    },
  )

  it.each(Object.entries(enrolments))(
    'does so within ten minutes of a verification: %s',
    async (_name, [, enroll]) => {
      for (const age of [0, 600]) {
        const recent = await proved(enroll, age)
        for (const gate of guarded.filter(({ name }) => age <= 300 || !isDevice(name))) {
          const [, code] = await gate.send(recent)
          expect(code, `${gate.name} after ${age} s`).not.toBe('reauthentication_needed')
        }
      }
    },
  )

  it('needs none for endpoints that add no credential', async () => {
    const old = await proved(enrolments.app[1], 3000)
    const ofOperators = 'GET /admin/users'
    const others = gates.filter(
      (gate) => !needsProof(gate) && !gate.name.includes('within') && gate.name !== ofOperators,
    )
    for (const gate of others) {
      const response = await gate.send(old)
      expect(isPassed(gate, response), `${gate.name}: ${response}`).toBe(true)
    }
  })

  it('S07: a user without a factor needs none, however old the sign-in is', async () => {
    const old = await caller(null)
    world.auth.clock.advance(3000)
    for (const gate of guarded) {
      const [, code] = await gate.send(old)
      expect(['reauthentication_needed', 'insufficient_aal'], gate.name).not.toContain(code)
    }
  })

  it('receives the remedy in the response', async () => {
    const { token } = await proved(enrolments.app[1], 700)
    const { body } = await world.auth.put('/user', { password: 'a brand new password' }, { token })
    expect(body).toMatchObject({ error_code: 'reauthentication_needed', step_up: 'verify' })
    const adding = world.auth.auth.api.updateUser({ accessToken: token, password: 'a new one' })
    await expect(adding).rejects.toMatchObject({ status: 403, details: { stepUp: 'verify' } })
  })

  it('S06: signs in again where no factor can be recent in this session', async () => {
    const { auth } = world
    const factors = secondFactors(auth)
    const { user, accessToken } = await auth.given.session()
    auth.clock.advance(700)
    const app = await factors.enrolledApp(accessToken)
    const { body } = await factors.prove(accessToken, app)
    const change = (token: string) =>
      auth.put('/user', { password: 'a brand new password' }, { token })

    expect((await change(body.access_token)).body).toMatchObject({
      error_code: 'reauthentication_needed',
      step_up: 'sign_in',
    })
    auth.clock.advance(30)
    const later = await factors.signIn(user.email)
    expect((await change(later.accessToken)).body.error_code).toBe('insufficient_aal')
    const again = await factors.prove(later.accessToken, app)
    expect((await change(again.body.access_token)).status).toBe(200)
  })

  it('a trusted device replaces the factor, and does not prove its possession', async () => {
    const factor = await enrolled(world, enrolments.app[1])
    const weak = await firstFactors.password[1](world)
    await giveAway(world, factor.userId, String(claimsIn(weak.access_token).sub))
    const { body } = await world.auth.post(
      '/trusted-devices/verify',
      { secret: factor.deviceSecret },
      { token: weak.access_token },
    )
    const { status, body: refused } = await world.auth.put(
      '/user',
      { password: 'a brand new password' },
      { token: body.access_token },
    )
    expect([status, refused.error_code]).toEqual([401, 'insufficient_aal'])
  })

  it('is checked by every endpoint that declares it, and each endpoint of a user declares it', () => {
    const undeclared = endpoints.filter(
      (one) => guardsOf(one).caller === 'user' && one.needsRecentProof === undefined,
    )
    expect(undeclared.map(({ method, path }) => `${method} ${path}`)).toEqual([])
    const declared = endpoints.filter(({ needsRecentProof }) => needsRecentProof)
    const listed = new Set(guarded.flatMap(endpointsOf))
    // Completions of linking return in a browser: see link-identity.test.ts.
    const inBrowser = declared.filter(({ path }) => path.startsWith('/callback'))
    expect(declared.filter((one) => !listed.has(one))).toEqual(inBrowser)
    for (const { errors, path, method } of declared.filter((one) => !inBrowser.includes(one))) {
      expect(errors, `${method} ${path}`).toEqual(
        expect.arrayContaining(['insufficient_aal', 'reauthentication_needed']),
      )
    }
  })
})

interface Knocking {
  prove(token: string): Promise<{ body: { access_token?: string } }>
}

const unknownId = '7f3a3f0c-0000-4000-8000-000000000000'
const isDevice = (name: string) => name === 'POST /trusted-devices'
