import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { claimsIn, secondFactors, statusAndCode } from '../../../test/support/second-factors.ts'
import { startTestAuth, type TestAuth, testPassword } from '../../../test/support/test-auth.ts'
import { givenTrustedDevice } from '../../../test/support/trusted-devices.ts'
import { proofBy } from '../../accounts/sessions/assurance.ts'
import type { SendEmailPayload } from '../../platform/config/sections/hooks.ts'
import { sha256Hex } from '../../platform/kit/digest.ts'
import { rowsOf } from '../../platform/sql/tables.ts'
import { useTrustedDevice } from './use-trusted-device.sql.ts'

let auth: TestAuth
let factors: ReturnType<typeof secondFactors>

beforeAll(async () => {
  auth = await startTestAuth({ mfa: { trustedDevices: { enabled: true } } })
  factors = secondFactors(auth)
})
afterAll(() => auth.close())

let made = 0
const newEmail = () => `device-${++made}@example.test`
const notFound = [404, 'trusted_device_not_found']

const trust = (token: string, body?: object) => auth.post('/trusted-devices', body, { token })
const verify = (token: string, secret?: string, headers: Record<string, string> = {}) =>
  auth.post('/trusted-devices/verify', secret === undefined ? {} : { secret }, { token, headers })
const list = (token: string) => auth.get('/trusted-devices', { token })
const bearing = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
const rejection = (pending: Promise<unknown>) =>
  pending.then(
    () => 'passed',
    ({ code }) => code,
  )

/** Creates a user with an authenticator app who trusted the device and signed in again. */
async function truster() {
  const strong = await factors.aal2Session(newEmail())
  const { body: device } = await trust(strong.accessToken)
  const weak = await factors.signIn(strong.user.email)
  return { ...strong, device, secret: String(device.secret), weak }
}

/** Does the same, and raises the session with the device. */
async function riser() {
  const owner = await truster()
  const { body } = await verify(owner.weak.accessToken, owner.secret)
  return {
    ...owner,
    risen: { accessToken: body.access_token, refreshToken: body.refresh_token },
  }
}

const aalOf = async (token: string) => (await auth.auth.requireUser(bearing(token))).aal

describe('a trusted device', () => {
  it('raises a session, whose token contains the method', async () => {
    const { weak, secret, device } = await truster()

    const answer = await verify(weak.accessToken, secret)

    const { access_token: token, trusted_device_secret: next } = answer.body
    const claims = claimsIn(token)
    expect(answer.status).toBe(200)
    expect(claims.aal).toBe('aal2')
    expect(claims.amr?.map(({ method }) => method)).toEqual(['trusted_device', 'password'])
    expect(next).toMatch(/^[0-9a-f]{64}$/)
    expect(next).not.toBe(secret)
    expect(device).toMatchObject({ id: expect.any(String), expires_at: expect.any(String) })
    expect(await aalOf(token)).toBe('aal2')
  })

  it('raises only the session that submitted it: earlier tokens stay weak (T09)', async () => {
    const { weak, risen } = await riser()

    expect(await aalOf(weak.accessToken)).toBe('aal1')
    expect((await factors.refresh(weak.refreshToken)).status).toBe(400)
    // To use a replaced refresh token ends the session, as any reuse does.
    expect(await rejection(auth.auth.requireUser(bearing(risen.accessToken)))).toBe(
      'session_not_found',
    )
  })

  it('keeps its effect over refreshes', async () => {
    const { risen } = await riser()

    const { body } = await factors.refresh(risen.refreshToken)

    expect(claimsIn(body.access_token).aal).toBe('aal2')
  })

  it('is stored as a hash', async () => {
    const { secret, user } = await truster()

    const [row] = await auth.rows<{ text: string }>(
      'select to_jsonb(d)::text as text from auth.trusted_devices d where user_id = $1',
      [user.id],
    )
    expect(row?.text).toContain('secret_hash')
    expect(row?.text).not.toContain(secret)
  })

  it('is trusted until its expiry, however often it is used', async () => {
    const { weak, secret, user, device } = await truster()
    const until = new Date(device.expires_at).getTime()
    expect(until - auth.clock.now().getTime()).toBe(30 * 24 * 3600 * 1000)
    auth.clock.advance(30 * 24 * 3600 - 60)
    const late = await factors.signIn(user.email)
    const { body } = await verify(late.accessToken, secret)
    auth.clock.advance(120)
    const tooLate = await factors.signIn(user.email)

    expect(body.access_token).toBeDefined()
    expect(statusAndCode(await verify(tooLate.accessToken, body.trusted_device_secret))).toEqual(
      notFound,
    )
    expect((await list(tooLate.accessToken)).body).toEqual([])
    expect(weak.accessToken).not.toBe(late.accessToken)
  })

  it('raises no session of another user, and needs the first factor', async () => {
    const { secret } = await truster()
    const other = await truster()

    expect(statusAndCode(await verify(other.weak.accessToken, secret))).toEqual(notFound)
    expect((await auth.post('/trusted-devices/verify', { secret })).status).toBe(401)
    for (const wrong of ['', 'x', 'f'.repeat(64)]) {
      expect(statusAndCode(await verify(other.weak.accessToken, wrong))).toEqual(notFound)
    }
    expect(statusAndCode(await verify(other.weak.accessToken))).toEqual(notFound)
    expect((await verify(other.weak.accessToken, other.secret)).status).toBe(200)
  })

  it('accepts one of 50 requests with the same secret, and is not trusted after', async () => {
    const { weak, secret, user } = await truster()

    const answers = await Promise.all(
      Array.from({ length: 50 }, () => verify(weak.accessToken, secret)),
    )

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status !== 200).map(statusAndCode)).toEqual(
      Array(49).fill(notFound),
    )
    const { accessToken } = await factors.signIn(user.email)
    expect((await list(accessToken)).body).toEqual([])
  })

  it('raises no session of a user without a factor', async () => {
    const { user, accessToken } = await auth.given.session(newEmail())
    const secret = await givenTrustedDevice(auth, user.id)

    expect(statusAndCode(await verify(accessToken, secret))).toEqual(notFound)
  })

  it('raises no session that is revoked concurrently, and stays valid', async () => {
    const { user, weak, secret } = await truster()
    const sessionId = claimsIn(weak.accessToken).session_id ?? ''
    await auth.rows('update auth.sessions set revoked_at = now() where id = $1', [sessionId])
    const { database, clock } = await auth.deps()

    const used = await useTrustedDevice(database.sql, {
      userId: user.id,
      sessionId,
      secretHash: sha256Hex(secret),
      nextHash: sha256Hex('the next'),
      proof: proofBy('trusted_device', clock.now()),
      now: clock.now(),
      auditRows: rowsOf('audit_entries'),
      messageRows: rowsOf('outbox_messages'),
      reuseRows: rowsOf('audit_entries'),
    })

    expect(used).toEqual({ session: null, wasReused: false })
    const later = await factors.signIn(user.email)
    expect((await verify(later.accessToken, secret)).status).toBe(200)
  })

  it('ends when a copy of its secret is used, and lowers the sessions that it raised', async () => {
    const { user, secret, risen } = await riser()
    const thief = await factors.signIn(user.email)

    expect(statusAndCode(await verify(thief.accessToken, secret))).toEqual(notFound)

    expect(await aalOf(risen.accessToken)).toBe('aal1')
    expect((await list(thief.accessToken)).body).toEqual([])
    const { entries } = await auth.auth.admin.listAudit({ userId: user.id })
    expect(entries.map(({ action, traits }) => [action, traits])).toContainEqual([
      'trusted_device_removed',
      { reason: 'secret_reused' },
    ])
  })
})

describe('a session that a trusted device raised', () => {
  it('proves no second factor, recent or other', async () => {
    const { risen, app } = await riser()
    const request = bearing(risen.accessToken)
    const ask = (options: object) => rejection(auth.auth.requireUser(request, options))

    expect(await ask({ aal: 2 })).toBe('passed')
    expect(await ask({ aal: 2, within: '1000h' })).toBe('reauthentication_needed')
    expect(await ask({ aal: 2, within: '1000h', strict: false })).toBe('reauthentication_needed')
    const { body } = await factors.prove(risen.accessToken, app)
    expect(
      await rejection(auth.auth.requireUser(bearing(body.access_token), { aal: 2, within: '5m' })),
    ).toBe('passed')
  })

  it('proves no recent sign-in', async () => {
    const { weak, secret } = await truster()
    auth.clock.advance(600)
    const { body } = await verify(weak.accessToken, secret)
    const ask = (within: string) =>
      rejection(auth.auth.requireUser(bearing(body.access_token), { within }))

    expect([await ask('5m'), await ask('11m')]).toEqual(['reauthentication_needed', 'passed'])
  })

  it('changes no password, address, factor, identity or account', async () => {
    const { risen, app } = await riser()
    const token = risen.accessToken

    const answers = await Promise.all([
      auth.put('/user', { password: 'another password' }, { token }),
      auth.put('/user', { email: newEmail() }, { token }),
      factors.unenroll(token, app.id),
      factors.enroll(token),
      trust(token),
    ])

    expect(answers.map(({ body }) => body.error_code)).toEqual(Array(5).fill('insufficient_aal'))
  })

  it('has no access to endpoints of operators', async () => {
    const { user, secret } = await truster()
    await auth.auth.admin.updateUser(user.id, { role: 'service_role' })
    const { accessToken } = await factors.signIn(user.email)
    const { body } = await verify(accessToken, secret)

    const answer = await auth.get('/admin/users', { token: body.access_token })

    expect(statusAndCode(answer)).toEqual([403, 'insufficient_aal'])
  })

  it('does not gain from a later proof with its old token', async () => {
    const { risen, app } = await riser()
    await factors.prove(risen.accessToken, app)

    expect(statusAndCode(await factors.unenroll(risen.accessToken, app.id))).toEqual([
      422,
      'insufficient_aal',
    ])
  })
})

describe('a device', () => {
  it('is trusted only with a recent proof by a factor', async () => {
    const { accessToken } = await auth.given.session(newEmail())
    const strong = await factors.aal2Session(newEmail())
    const weak = await factors.signIn(strong.user.email)

    expect(statusAndCode(await trust(accessToken))).toEqual([404, 'mfa_factor_not_found'])
    expect(statusAndCode(await trust(weak.accessToken))).toEqual([403, 'insufficient_aal'])
    auth.clock.advance(5 * 60)
    expect(statusAndCode(await trust(strong.accessToken))).toEqual([403, 'reauthentication_needed'])
  })

  it('is one of ten at most, and replaces the least recently used one', async () => {
    const { accessToken } = await factors.aal2Session(newEmail())
    const first = (await trust(accessToken)).body.id
    auth.clock.advance(1)

    const answers = await Promise.all(Array.from({ length: 15 }, () => trust(accessToken)))
    const { body } = await list(accessToken)

    expect(answers.map(({ status }) => status)).toEqual(Array(15).fill(200))
    expect(body).toHaveLength(10)
    expect(body.map(({ id }: { id: string }) => id)).not.toContain(first)
  })

  it('is reported by mail, where that is enabled', async () => {
    const received: SendEmailPayload[] = []
    const telling = await startTestAuth({
      mfa: { trustedDevices: { enabled: true } },
      email: { autoconfirm: true, notifications: { trustedDeviceAdded: true } },
      hooks: { sendEmail: (payload) => void received.push(payload as SendEmailPayload) },
    })
    const { accessToken, user } = await secondFactors(telling).aal2Session(newEmail())

    await telling.auth.api.trustDevice({ accessToken })
    await (await telling.deps()).outbox.settled()
    await telling.close()

    expect(received.map((mail) => [mail.user.email, mail.email_data.email_action_type])).toEqual([
      [user.email, 'trusted_device_added_notification'],
    ])
  })
})

describe('the trust in a device', () => {
  /**
   * Returns whether the device still raises a new session of the user, and the AAL of the session
   * that it raised before.
   */
  async function whatIsLeft(
    { user, risen }: Awaited<ReturnType<typeof riser>>,
    secret: string,
    password = testPassword,
  ): Promise<unknown[]> {
    const before = await rejection(
      aalOf(risen.accessToken).then((aal) => Promise.reject({ code: aal })),
    )
    const { session } = await auth.auth.api.signInWithPassword({
      email: user.email ?? '',
      password,
    })
    const { status } = await verify(session.accessToken, secret)
    return [status, before]
  }
  const given = async () => {
    const owner = await truster()
    const { body } = await verify(owner.weak.accessToken, owner.secret)
    const risen = { accessToken: body.access_token, refreshToken: body.refresh_token }
    return { ...owner, risen, next: String(body.trusted_device_secret) }
  }

  it('does not end with other changes', async () => {
    const owner = await given()
    await auth.put('/user', { data: { a: 1 } }, { token: owner.risen.accessToken })
    await auth.post('/logout?scope=local', {}, { token: owner.accessToken })
    await auth.post('/logout?scope=others', {}, { token: owner.risen.accessToken })

    expect(await whatIsLeft(owner, owner.next)).toEqual([200, 'aal2'])
  })

  it('ends with a new password of the user', async () => {
    const owner = await given()
    const password = 'another password'
    const { status } = await auth.put('/user', { password }, { token: owner.accessToken })

    expect(status).toBe(200)
    expect(await whatIsLeft(owner, owner.next, password)).toEqual([404, 'session_not_found'])
  })

  it('ends with a new password that an operator sets', async () => {
    const owner = await given()
    const password = 'another password'
    await auth.auth.admin.updateUser(owner.user.id, { password })

    expect(await whatIsLeft(owner, owner.next, password)).toEqual([404, 'session_not_found'])
  })

  it('ends with a new factor', async () => {
    const owner = await given()
    const app = await factors.enrolledApp(owner.accessToken, 'second')
    expect((await factors.prove(owner.accessToken, app)).status).toBe(200)

    expect(await whatIsLeft(owner, owner.next)).toEqual([404, 'session_not_found'])
  })

  it('does not end with a factor that is removed before it is verified', async () => {
    const owner = await given()
    const app = await factors.enrolledApp(owner.accessToken, 'second')
    await factors.unenroll(owner.accessToken, app.id)

    expect(await whatIsLeft(owner, owner.next)).toEqual([200, 'aal2'])
  })

  it.each(['the user', 'an operator'])('ends with a factor that %s removes', async (who) => {
    const owner = await given()
    const app = await factors.enrolledApp(owner.accessToken, 'second')
    const { body } = await factors.prove(owner.accessToken, app)
    const { body: device } = await trust(body.access_token)
    const weak = await factors.signIn(owner.user.email)
    const { body: raised } = await verify(weak.accessToken, device.secret)
    const risen = { accessToken: raised.access_token, refreshToken: raised.refresh_token }
    if (who === 'the user') await factors.unenroll(body.access_token, app.id)
    else await auth.auth.admin.deleteFactor(owner.user.id, app.id)

    const left = await whatIsLeft({ ...owner, risen }, raised.trusted_device_secret)
    expect(left).toEqual([404, 'aal1'])
  })

  it('ends with a sign-out of all sessions', async () => {
    const owner = await given()
    await auth.post('/logout', {}, { token: owner.risen.accessToken })

    expect(await whatIsLeft(owner, owner.next)).toEqual([404, 'session_not_found'])
  })

  it('ends with a sign-out of all sessions by an operator', async () => {
    const owner = await given()
    await auth.auth.admin.signOut(owner.user.id)

    expect(await whatIsLeft(owner, owner.next)).toEqual([404, 'session_not_found'])
  })

  it.each(['the user', 'an operator'])(
    'ends when %s removes the device from the list',
    async (who) => {
      const owner = await given()
      const [device] = await auth.auth.admin.listTrustedDevices(owner.user.id)
      const deviceId = device?.id ?? ''
      const { accessToken } = owner.weak
      if (who === 'an operator') {
        await auth.auth.admin.deleteTrustedDevice(owner.user.id, deviceId)
      } else {
        const other = await truster()
        const path = `/trusted-devices/${deviceId}`
        const requested = await auth.request('DELETE', path, { token: other.accessToken })
        const own = await auth.request('DELETE', path, { token: accessToken })
        expect([statusAndCode(requested), own.status]).toEqual([notFound, 204])
      }

      expect(await whatIsLeft(owner, owner.next)).toEqual([404, 'aal1'])
    },
  )

  it('does not lower a session that also used a factor', async () => {
    const owner = await given()
    const { body } = await factors.prove(owner.risen.accessToken, owner.app)
    const [device] = await auth.auth.admin.listTrustedDevices(owner.user.id)
    await auth.auth.admin.deleteTrustedDevice(owner.user.id, device?.id ?? '')

    expect(await aalOf(body.access_token)).toBe('aal2')
  })
})

describe('in a browser', () => {
  const cookieIn = (answer: { headers: Headers }) => answer.headers.get('set-cookie') ?? ''

  it('stores the secret in a cookie that scripts and other sites cannot read', async () => {
    const { accessToken, user } = await factors.aal2Session(newEmail())
    const trusted = await trust(accessToken, { cookie: true })
    const [pair = ''] = cookieIn(trusted).split(';')
    const weak = await factors.signIn(user.email)

    const used = await verify(weak.accessToken, undefined, { cookie: pair })
    const [next = ''] = cookieIn(used).split(';')

    expect(trusted.body.secret).toBeUndefined()
    expect(cookieIn(trusted)).toMatch(
      /^__Host-latchkey-device-[0-9a-f]{16}=[0-9a-f]{64}; Path=\/; Max-Age=2592000; HttpOnly; Secure; SameSite=Strict$/,
    )
    expect(claimsIn(used.body.access_token).aal).toBe('aal2')
    expect(used.body.trusted_device_secret).toBeUndefined()
    expect(next.split('=')[0]).toBe(pair.split('=')[0])
    expect(next).not.toBe(pair)
  })

  it('limits the cookie to the host without TLS, as far as possible', async () => {
    const plain = await startTestAuth({
      externalUrl: 'http://127.0.0.1:3000',
      mfa: { trustedDevices: { enabled: true } },
    })
    const { accessToken } = await secondFactors(plain).aal2Session(newEmail())
    const answer = await plain.post('/trusted-devices', { cookie: true }, { token: accessToken })
    await plain.close()

    expect(cookieIn(answer)).toMatch(
      /^latchkey-device-[0-9a-f]{16}=[0-9a-f]{64}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict$/,
    )
  })

  it('ignores two cookies of one name, as a neighbouring host may set one, and that of another user', async () => {
    const { accessToken, user } = await factors.aal2Session(newEmail())
    const [pair = ''] = cookieIn(await trust(accessToken, { cookie: true })).split(';')
    const weak = await factors.signIn(user.email)
    const other = await truster()
    const name = pair.split('=')[0]

    const two = `${name}=${'0'.repeat(64)}; ${pair}`
    expect(statusAndCode(await verify(weak.accessToken, undefined, { cookie: two }))).toEqual(
      notFound,
    )
    const foreign = await verify(other.weak.accessToken, undefined, { cookie: pair })
    expect(statusAndCode(foreign)).toEqual(notFound)
    expect((await verify(weak.accessToken, undefined, { cookie: pair })).status).toBe(200)
  })
})

it('rejects all requests while disabled, also with a trusted device', async () => {
  const off = await startTestAuth()
  const { accessToken } = await secondFactors(off).aal2Session(newEmail())
  const ask = (method: string, path: string) => off.request(method, path, { token: accessToken })

  const answers = [
    await ask('POST', '/trusted-devices'),
    await ask('POST', '/trusted-devices/verify'),
    await ask('GET', '/trusted-devices'),
    await ask('DELETE', '/trusted-devices/7f3a3f0c-0000-4000-8000-000000000000'),
  ]
  await off.close()

  expect(answers.map(statusAndCode)).toEqual(Array(4).fill([404, 'trusted_devices_disabled']))
})

it('offers the same functions in code', async () => {
  const { weak, secret } = await truster()
  const {
    user,
    session,
    secret: next,
  } = await auth.auth.api.verifyTrustedDevice({
    accessToken: weak.accessToken,
    secret,
  })
  const devices = await auth.auth.api.listTrustedDevices({ accessToken: session.accessToken })
  await auth.auth.api.deleteTrustedDevice({
    accessToken: session.accessToken,
    deviceId: devices[0]?.id ?? '',
  })

  expect([user.id, next.length, devices.length]).toEqual([user.id, 64, 1])
  expect(await auth.auth.admin.listTrustedDevices(user.id)).toEqual([])
})
