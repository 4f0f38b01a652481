import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { AuthConfig } from '../src/platform/config/config.ts'
import type { AuthEvent, PasswordDecision } from '../src/platform/config/sections/hooks.ts'
import { createAuthenticator } from './support/authenticator.ts'
import { startMeteredAuth } from './support/metered-auth.ts'
import { passkeysOf } from './support/passkeys.ts'
import { claimsIn, type SecondFactors, secondFactors } from './support/second-factors.ts'
import { startTestAuth, type TestAuth, testPassword } from './support/test-auth.ts'

// Events of passkeys, recovery codes, trusted devices and ended sessions.

let received: AuthEvent[] = []
let decision: PasswordDecision | Record<string, never> = {}
let auth: TestAuth
let factors: SecondFactors

const settings: AuthConfig = {
  passkeys: { enabled: true, signUpEnabled: true },
  mfa: { trustedDevices: { enabled: true } },
}

beforeAll(async () => {
  auth = await startTestAuth({
    ...settings,
    hooks: {
      events: (event) => void received.push(event),
      mfaVerificationAttempt: () => decision,
      passwordVerificationAttempt: () => decision,
    },
  })
  factors = secondFactors(auth)
})
afterAll(() => auth.close())
afterEach(() => {
  received = []
  decision = {}
})

/** Returns the events of a user since the sign-in, without those that each sign-in causes. */
async function news(userId: string) {
  await (await auth.deps()).outbox.settled()
  return received
    .filter(({ user_id, type }) => user_id === userId && !/^(user|session\.opened)/.test(type))
    .map(({ type, data }) => ({ type, data }))
}

const sessionIn = (accessToken: string) => claimsIn(accessToken).session_id ?? ''
const newPerson = async () => auth.given.session()

describe('passkeys', () => {
  it('cause events when the user or an operator adds and deletes them', async () => {
    const session = await newPerson()
    const passkeys = passkeysOf(auth)
    const first = await passkeys.userOf(session)
    const second = await passkeys.userOf(session)
    const { accessToken: token, user } = session
    await auth.request('DELETE', `/passkeys/${first.id}`, { token })
    await auth.request('DELETE', `/passkeys/${first.id}`, { token })
    await auth.auth.admin.deletePasskey(user.id, second.id)

    expect(await news(user.id)).toEqual([
      { type: 'passkey.registered', data: { passkey_id: first.id } },
      { type: 'passkey.registered', data: { passkey_id: second.id } },
      { type: 'passkey.removed', data: { passkey_id: first.id } },
      { type: 'passkey.removed', data: { passkey_id: second.id } },
    ])
  })

  it('cause events at a sign-up', async () => {
    const { body } = await passkeysOf(auth).signUp(createAuthenticator())

    expect(await news(body.user.id)).toEqual([
      { type: 'passkey.registered', data: { passkey_id: expect.any(String) } },
    ])
  })
})

describe('recovery codes', () => {
  it('cause events when they are generated and used, and none when a wrong one is tried', async () => {
    const { accessToken, user, codes, setId } = await factors.recoverableSession()
    const weak = await factors.signIn(user.email)
    await factors.useCode(weak.accessToken, 'aaaaaaaaaaaaaaaa')
    await factors.useCode(weak.accessToken, codes[0] ?? '')
    await auth.post('/factors/recovery-codes/regenerate', undefined, { token: accessToken })

    const session_id = sessionIn(weak.accessToken)
    expect((await news(user.id)).slice(1)).toEqual([
      { type: 'recovery_codes.generated', data: { factor_id: setId } },
      { type: 'recovery_code.used', data: { factor_id: setId, session_id } },
      { type: 'recovery_codes.generated', data: { factor_id: setId } },
    ])
  })
})

describe('trusted devices', () => {
  const trust = async (token: string) => (await auth.post('/trusted-devices', {}, { token })).body
  const ids = (type: string, device_id: string | null) => ({ type, data: { device_id } })

  it('cause events when they are added and deleted, by the user, an operator or a secret used twice', async () => {
    const { accessToken: token, user } = await factors.aal2Session()
    const first = await trust(token)
    const second = await trust(token)
    const third = await trust(token)
    await auth.request('DELETE', `/trusted-devices/${first.id}`, { token })
    await auth.auth.admin.deleteTrustedDevice(user.id, second.id)
    const { accessToken: weak } = await factors.signIn(user.email)
    const verify = () =>
      auth.post('/trusted-devices/verify', { secret: third.secret }, { token: weak })
    const uses = [await verify(), await verify()]

    expect(uses.map(({ status }) => status)).toEqual([200, 404])
    expect((await news(user.id)).slice(1)).toEqual([
      ids('trusted_device.added', first.id),
      ids('trusted_device.added', second.id),
      ids('trusted_device.added', third.id),
      ids('trusted_device.removed', first.id),
      ids('trusted_device.removed', second.id),
      ids('trusted_device.removed', null),
    ])
  })
})

describe('ended sessions', () => {
  const ended = (scope: string, session_id: string | null | undefined, reason: string) => ({
    type: 'session.ended',
    data: { scope, session_id, reason },
  })

  it('cause an event by the user who signs out, if there were any', async () => {
    const one = await newPerson()
    const { email, id } = one.user
    const other = await factors.signIn(email)
    const leave = (scope: string, token: string) =>
      auth.post(`/logout?scope=${scope}`, undefined, { token })
    await leave('others', one.accessToken)
    await leave('others', one.accessToken)
    await leave('local', other.accessToken)
    await leave('local', one.accessToken)
    const last = await factors.signIn(email)
    await leave('global', last.accessToken)

    expect(await news(id)).toEqual([
      ended('others', sessionIn(one.accessToken), 'sign_out'),
      ended('local', sessionIn(one.accessToken), 'sign_out'),
      ended('global', null, 'sign_out'),
    ])
  })

  it('cause events when they are revoked by another session', async () => {
    const { accessToken, user } = await newPerson()
    const first = sessionIn((await factors.signIn(user.email)).accessToken)
    const second = sessionIn((await factors.signIn(user.email)).accessToken)
    await auth.auth.api.revokeSession({ accessToken, sessionId: first })
    await auth.auth.admin.revokeSession(user.id, second)
    await auth.auth.admin.signOut(user.id)
    await auth.auth.admin.signOut(user.id)

    expect(await news(user.id)).toEqual([
      ended('local', first, 'revoked'),
      ended('local', second, 'revoked'),
      ended('global', null, 'revoked'),
    ])
  })

  it('cause one event where a refresh token is reused, and none where its child is requested again', async () => {
    const { refreshToken, accessToken, user } = await newPerson()
    const { body } = await factors.refresh(refreshToken)
    await factors.refresh(refreshToken)
    await factors.refresh(body.refresh_token)
    await factors.refresh(refreshToken)
    auth.clock.advance(1)
    await factors.refresh(refreshToken)

    expect(await news(user.id)).toEqual([ended('local', sessionIn(accessToken), 'token_reused')])
  })

  it('cause events where a hook of the application rejects an attempt', async () => {
    const { user, app } = await factors.aal2Session()
    const { accessToken } = await factors.signIn(user.email)
    decision = { decision: 'reject' }
    await factors.prove(accessToken, app)
    decision = {}
    await factors.signIn(user.email)
    decision = { decision: 'reject', should_logout_user: true }
    await auth.post('/token?grant_type=password', { email: user.email, password: testPassword })

    expect((await news(user.id)).slice(1)).toEqual([
      ended('global', null, 'rejected'),
      ended('global', null, 'rejected'),
    ])
  })
})

it('cost no additional statement with a listener', async () => {
  const cost = async (hooks: AuthConfig['hooks']) => {
    const metered = await startMeteredAuth({ ...settings, ...(hooks && { hooks }) })
    const people = secondFactors(metered)
    const one = await metered.given.session()
    const spent = await people.refresh(one.refreshToken)
    await people.refresh(spent.body.refresh_token)
    const other = await people.recoverableSession()
    const { accessToken: token } = other
    const weak = await people.signIn(other.user.email)
    const entryPoints: Record<string, () => Promise<unknown>> = {
      reuse: () => people.refresh(one.refreshToken),
      device: () => metered.post('/trusted-devices', {}, { token }),
      code: () => people.useCode(weak.accessToken, other.codes[0] ?? ''),
      passkey: () => passkeysOf(metered).register(token),
      leave: () => metered.post('/logout', undefined, { token }),
    }
    const costs: Record<string, number[]> = {}
    for (const [name, act] of Object.entries(entryPoints)) {
      const { statements, trips } = await metered.measure(act)
      costs[name] = [statements, trips]
    }
    const stored = await metered.rows(
      `select kind from auth.outbox_messages where channel = 'events'`,
    )
    await metered.close()
    return { costs, stored: stored.length }
  }

  const without = await cost(undefined)
  const listening = await cost({ events: () => {} })

  expect(listening.costs).toEqual(without.costs)
  expect([without.stored > 0, listening.stored > 5]).toEqual([false, true])
})
