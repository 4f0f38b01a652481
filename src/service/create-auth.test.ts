import { describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../test/support/database.ts'
import { startTestAuth, testPassword, testSecret } from '../../test/support/test-auth.ts'
import { type AuthConfig, ClosedError, ConfigError, createAuth } from '../index.ts'
import { createService } from './create-auth.ts'

const config = (database = 'postgres://localhost:1/nowhere'): AuthConfig => ({
  siteUrl: 'https://app.example.test',
  database,
  jwt: { secret: testSecret },
  email: { autoconfirm: true },
})

describe('createAuth', () => {
  it('reports all errors at once, by path, and no secret (T34)', () => {
    const create = () => createAuth({ siteUrl: 'no url', jwt: { secret: 'short canary' } })

    expect(create).toThrow(ConfigError)
    expect(create).toThrow(/siteUrl .*jwt\.secret .*database\.url .*email\.smtp\.host /s)
    expect(create).not.toThrow(/canary/)
  })

  it.each([undefined, null, 'postgres://x', 7, []])(
    'rejects %j as a configuration (T34)',
    (given) => {
      expect(() => createAuth(given as never)).toThrow(ConfigError)
    },
  )

  it('opens no connection, and verifies tokens without a database', async () => {
    const auth = createAuth(config())

    await expect(auth.verifyToken('no.good.token')).rejects.toMatchObject({ code: 'bad_jwt' })
    for (const missing of ['', undefined as never]) {
      await expect(auth.verifyToken(missing)).rejects.toMatchObject({
        code: 'bad_jwt',
        message: expect.stringContaining('the token is missing'),
      })
    }
    await auth.close()
  })

  it('returns claims that cannot be changed, at the first verification of a token and later', async () => {
    const auth = await startTestAuth()
    const { accessToken } = await auth.given.session()
    const request = { headers: { authorization: `Bearer ${accessToken}` } }

    for (let time = 0; time < 3; time += 1) {
      const { claims } = await auth.auth.requireUser(request)
      const others = [claims, await auth.auth.verifyToken(accessToken)]
      expect(others.map((each) => Object.isFrozen(each.app_metadata))).toEqual([true, true])
    }
    await auth.close()
  })

  it('H33: returns 401 and 403 to a host as hosts expect, while the wire keeps its own', async () => {
    const auth = await startTestAuth()
    const rejection = (
      token: string | null,
      options: { strict: false } | undefined = undefined,
    ) => {
      const request = { headers: token === null ? {} : { authorization: `Bearer ${token}` } }
      const pending = options
        ? auth.auth.requireUser(request, options)
        : auth.auth.requireUser(request)
      return pending.then(
        () => 'taken',
        ({ status, code }) => [status, code],
      )
    }
    const [ended, banned, deleted, expired] = await Promise.all(
      [1, 2, 3, 4].map(() => auth.given.session()),
    )
    await auth.post('/logout', {}, { token: ended?.accessToken })
    await auth.auth.admin.banUser(banned?.user.id ?? '', {})
    await auth.auth.admin.deleteUser(deleted?.user.id ?? '')

    expect(await rejection(null)).toEqual([401, 'no_authorization'])
    expect(await rejection('no.good.token')).toEqual([401, 'bad_jwt'])
    expect(await rejection('no.good.token', { strict: false })).toEqual([401, 'bad_jwt'])
    expect(await rejection(ended?.accessToken ?? '')).toEqual([401, 'session_not_found'])
    expect(await rejection(deleted?.accessToken ?? '')).toEqual([401, 'user_not_found'])
    expect(await rejection(banned?.accessToken ?? '')).toEqual([403, 'user_banned'])
    auth.clock.advance(2 * 60 * 60)
    expect(await rejection(expired?.accessToken ?? '')).toEqual([401, 'bad_jwt'])
    const wire = await auth.get('/user', { token: expired?.accessToken })
    await auth.close()
    expect(wire.status).toBe(403)
  })

  it('freezes its configuration, deeply (T22)', async () => {
    const auth = await startTestAuth()
    const { config: frozen } = await auth.deps()
    await auth.close()

    const check = (value: unknown, path: string): void => {
      if (typeof value !== 'object' || value === null) return
      expect(Object.isFrozen(value), path).toBe(true)
      for (const [key, member] of Object.entries(value)) check(member, `${path}.${key}`)
    }
    check(frozen, 'config')
  })

  it('does not depend on later changes of the configuration object (T22)', async () => {
    const database = await createTestDatabase()
    const given = { ...config(database.url), jwt: { secret: [testSecret], adminRoles: ['staff'] } }
    const { auth, runtime } = createService(given)

    given.jwt.secret[0] = 'another secret of more than 32 bytes'
    given.jwt.adminRoles.push('everybody')
    const { deps } = await runtime()
    await auth.close()
    await database.drop()

    expect(deps.config.jwt).toMatchObject({ secrets: [testSecret], adminRoles: ['staff'] })
  })
})

describe('close', () => {
  it('waits for running requests, then rejects', async () => {
    const test = await startTestAuth()
    const user = await test.given.user()
    const credentials = { email: user.email ?? '', password: testPassword }

    const running = Promise.all([
      test.auth.api.signInWithPassword(credentials),
      test.post('/token?grant_type=password', credentials),
    ])
    const order: string[] = []
    const ended = running.then(() => order.push('ended'))
    const closed = test.auth.close().then(() => order.push('closed'))
    await Promise.all([ended, closed])
    const [late, call] = [
      await test.get('/settings'),
      test.auth.api.signInWithPassword(credentials),
    ]

    expect(order).toEqual(['ended', 'closed'])
    expect((await running)[1].status).toBe(200)
    expect([late.status, late.headers.get('retry-after')]).toEqual([503, '1'])
    await expect(call).rejects.toThrow(/closed/)
    await test.close()
  })

  it('may be called twice, and before a connection was opened', async () => {
    const [unused, used] = [createAuth(config()), await startTestAuth()]

    await Promise.all([unused.close(), unused.close()])
    await Promise.all([used.auth.close(), used.auth.close()])
    await used.close()

    await expect(unused.ready()).rejects.toThrow(/closed/)
  })
})

describe('two in one process', () => {
  it('work side by side and share nothing', async () => {
    const [one, other] = await Promise.all([
      startTestAuth({ basePath: '/one' }),
      startTestAuth({ jwt: { secret: 'another secret for tests of 32 bytes' } }),
    ])
    const [mine, theirs] = await Promise.all([one.given.session(), other.given.session()])
    one.clock.advance(7200)

    const verified = await other.auth.verifyToken(theirs.accessToken)
    const foreign = other.auth.verifyToken(mine.accessToken)
    const expired = one.auth.verifyToken(mine.accessToken)

    expect(verified.sub).toBe(theirs.user.id)
    await expect(foreign).rejects.toMatchObject({ code: 'bad_jwt' })
    await expect(expired).rejects.toMatchObject({ code: 'bad_jwt' })
    expect([(await one.get('/one/health')).status, (await other.get('/health')).status]).toEqual([
      200, 200,
    ])
    await one.close()
    // The end of one does not affect the other.
    expect((await other.get('/user', { token: theirs.accessToken })).status).toBe(200)
    await other.close()
  })
})

it('errors that are not on the wire are exported, and have a status for hosts', async () => {
  const auth = createAuth(config())
  await auth.close()

  const late = auth.admin.listUsers()

  await expect(late).rejects.toBeInstanceOf(ClosedError)
  await expect(late).rejects.toMatchObject({ status: 503 })
})
