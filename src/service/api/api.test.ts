import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestAuth, type TestAuth, testPassword } from '../../../test/support/test-auth.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'

let auth: TestAuth

beforeAll(async () => {
  auth = await startTestAuth()
})
afterAll(() => auth.close())

/** The error that a call ends in. */
async function errorOf(call: () => Promise<unknown>): Promise<unknown> {
  try {
    await call()
  } catch (error) {
    return error
  }
  return 'nothing was thrown'
}

describe('auth.api', () => {
  it('takes a user from sign-up to sign-out', async () => {
    const { api } = auth.auth
    const email = 'journey@example.test'

    const signedUp = await api.signUp({ email, password: testPassword, data: { name: 'Ada' } })
    const { session } = await api.signInWithPassword({ email, password: testPassword })
    const renewed = await api.refreshSession({ refreshToken: session.refreshToken })
    const { accessToken } = renewed.session
    const updated = await api.updateUser({ accessToken, data: { color: 'red' } })
    const found = await api.getUser({ accessToken })
    await api.signOut({ accessToken, scope: 'local' })
    const ended = await errorOf(() => api.getUser({ accessToken }))

    expect(signedUp.session?.expiresAt).toEqual(new Date(auth.clock.now().getTime() + 3_600_000))
    expect(updated.userMetadata).toMatchObject({ name: 'Ada', color: 'red' })
    expect(found).toEqual(updated)
    expect(found.createdAt).toBeInstanceOf(Date)
    expect(ended).toMatchObject({ code: 'session_not_found', status: 403 })
  })

  it('explains the permitted redirect targets', async () => {
    const { api } = auth.auth
    const explain = (url: unknown) => api.explainRedirect(url as string)

    expect(await explain('https://app.example.test/x')).toEqual({ allowed: true, rule: 'site' })
    expect(await explain('https://evil.test/')).toEqual({
      allowed: false,
      reason: 'it is neither the site nor on the allow list',
    })
    expect(await explain('\ud800')).toMatchObject({ reason: expect.stringContaining('invisible') })
    expect(await errorOf(() => explain(7))).toMatchObject({ code: 'bad_json', status: 400 })
  })

  it('stores the options that describe the request', async () => {
    const { user } = await auth.auth.api.signUp(
      { email: 'options@example.test', password: testPassword },
      { ip: '::ffff:198.51.100.4', userAgent: 'a\0 browser', requestId: 'request-1' },
    )
    const sessions = await auth.rows(
      'select host(ip) as ip, user_agent from auth.sessions where user_id = $1',
      [user.id],
    )
    const entries = await auth.rows(
      'select host(ip) as ip, request_id from auth.audit_entries where actor_id = $1',
      [user.id],
    )

    expect(sessions).toEqual([{ ip: '198.51.100.4', user_agent: 'a browser' }])
    expect(entries).toEqual(Array(2).fill({ ip: '198.51.100.4', request_id: 'request-1' }))
  })

  it.each([
    ['invalid_credentials', () => ({ email: 'journey@example.test', password: 'wrong' }), 400],
    ['validation_failed', () => ({ password: 'wrong' }), 400],
  ])('throws AuthError %s with the status of the wire', async (code, input, status) => {
    const error = await errorOf(() => auth.auth.api.signInWithPassword(input()))

    expect(error).toBeInstanceOf(AuthError)
    expect(error).toMatchObject({ name: 'AuthError', code, status })
  })

  it('returns the reasons for a weak password', async () => {
    const error = await errorOf(() => auth.auth.api.signUp({ email: 'a@x.test', password: 'abc' }))

    expect(error).toMatchObject({
      code: 'weak_password',
      details: { weakPasswordReasons: ['length'] },
    })
  })

  it('ignores fields that only an operator may set', async () => {
    const input = {
      email: 'nobody-special@example.test',
      password: testPassword,
      role: 'service_role',
      appMetadata: { admin: true },
      id: 'x',
      emailConfirm: true,
    }

    const { user } = await auth.auth.api.signUp(input)

    expect(user.role).toBe('authenticated')
    expect(user.appMetadata).toEqual({ provider: 'email', providers: ['email'] })
  })
})

describe('auth.admin', () => {
  it('creates, finds and changes a user', async () => {
    const { admin } = auth.auth

    const created = await admin.createUser({
      phone: '+49 151 5550',
      phoneConfirm: true,
      role: 'staff',
    })
    const changed = await admin.updateUser(created.id, { banDuration: '1h', role: 'guest' })
    const found = await admin.getUser(created.id)

    expect(created).toMatchObject({ phone: '491515550', role: 'staff', bannedUntil: null })
    expect(changed.bannedUntil).toEqual(new Date(auth.clock.now().getTime() + 3_600_000))
    expect(found).toEqual(changed)
    expect(JSON.stringify(found)).not.toMatch(/hash/i)
  })

  it('is recorded as the host', async () => {
    const user = await auth.given.user()

    const entries = await auth.rows(
      'select action, actor_id, actor_role from auth.audit_entries where user_id = $1',
      [user.id],
    )

    expect(entries).toEqual([{ action: 3, actor_id: null, actor_role: 'host' }])
  })
})

describe('hostile input', () => {
  const circular: { self?: unknown } = {}
  circular.self = circular
  const values: [string, unknown][] = [
    ['undefined', undefined],
    ['null', null],
    ['text', 'ada@example.test'],
    ['a number', 7],
    ['a list', []],
    ['a function', () => {}],
    ['a symbol', Symbol('x')],
    ['a big integer', 10n],
    ['an object that holds itself', circular],
    ['an object with a big integer', { email: 1n }],
    [
      'an object that throws',
      {
        toJSON: () => {
          throw new TypeError('no')
        },
      },
    ],
    [
      'an object of objects',
      { email: {}, phone: {}, password: {}, accessToken: {}, refreshToken: {} },
    ],
    ['an object of lists', { email: ['a@x.test'], password: ['x'], accessToken: ['x'], data: [] }],
    ['NUL', { email: 'a\0@x.test', password: 'x\0', accessToken: '\0', refreshToken: '\0' }],
    ['half a letter', { email: '\ud800@x.test', data: { a: '\udc00' }, accessToken: '\ud800' }],
  ]
  const methods = [
    ...(['signUp', 'signInWithPassword', 'refreshSession', 'getUser'] as const),
    ...(['updateUser', 'signOut', 'signInWithOtp', 'resetPasswordForEmail', 'resend'] as const),
    ...(['verifyOtp', 'followLink', 'exchangeCodeForSession', 'reauthenticate'] as const),
    ...(['signInWithOAuth', 'signInWithIdToken'] as const),
  ]

  it.each(values)('of %s is rejected by every method of auth.api', async (_case, value) => {
    for (const method of methods) {
      const error = await errorOf(() => auth.auth.api[method](value as never))

      expect(error, method).toBeInstanceOf(AuthError)
      expect([400, 401, 403, 422], method).toContain((error as AuthError).status)
    }
  })

  it.each(values)('of %s is rejected by every method of auth.admin', async (_case, value) => {
    const { admin } = auth.auth
    const { id } = await auth.given.user()
    const calls = [
      () => admin.createUser(value as never),
      () => admin.getUser(value as never),
      () => admin.updateUser(value as never, {}),
      () => admin.findUser(value as never),
      () => admin.deleteUser(value as never),
      () => admin.banUser(value as never),
      () => admin.unbanUser(value as never),
      () => admin.signOut(value as never),
      () => admin.listSessions(value as never),
      () => admin.revokeSession(value as never, id),
      () => admin.revokeSession(id, value as never),
      () => admin.inviteUser(value as never),
      () => admin.generateLink(value as never),
    ]
    // An object without a known field is a change of nothing, or a list of everything.
    const harmless = [
      () => admin.updateUser(id, value as never),
      () => admin.listUsers(value as never),
      () => admin.listUsers({ limit: value, cursor: value, filter: value, order: value } as never),
      () => admin.listAudit(value as never),
      () => admin.listAudit({ query: value } as never),
    ]

    for (const call of calls) expect(await errorOf(call)).toBeInstanceOf(AuthError)
    for (const call of harmless) {
      const error = await errorOf(call)
      if (error !== 'nothing was thrown') expect(error).toBeInstanceOf(AuthError)
    }
  })

  it.each([...values, ['a list of an id', ['6f1f7c1e-0b57-4a39-9c39-0d3f1f7c1e0b']] as const])(
    'of %s is no token and no id',
    async (_case, value) => {
      const { keys } = await auth.deps()
      const list = [await keys.sign({ sub: 'x' })]

      for (const token of [value, list]) {
        const error = await errorOf(() => auth.auth.verifyToken(token as never))
        expect(error).toMatchObject({ name: 'AuthError', code: 'bad_jwt', status: 401 })
      }
      const error = await errorOf(() => auth.auth.admin.getUser(value as never))
      expect(error).toMatchObject({ name: 'AuthError', code: 'validation_failed', status: 404 })
    },
  )

  it('of options is survived', async () => {
    const input = { email: 'nobody@example.test', password: 'x' }

    for (const options of [
      { ip: null, userAgent: null, requestId: null },
      { ip: '\0', userAgent: '\0', requestId: '\0' },
      { ip: 'unknown', userAgent: '\ud800', requestId: '\udc00' },
      { ip: '1.2.3.4, 5.6.7.8', userAgent: 'x'.repeat(10_000) },
    ]) {
      const error = await errorOf(() => auth.auth.api.signInWithPassword(input, options as never))
      expect(error).toMatchObject({ name: 'AuthError', code: 'invalid_credentials' })
    }
  })
})
