import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { hasEmbeddedDatabase } from '../../../test/support/embedded.ts'
import { answering, startWebServer } from '../../../test/support/web-server.ts'
import { createCookieSessions } from '../cookie-sessions/create-cookie-sessions.ts'
import { createTestAuth, type TestAuth } from './test-auth.ts'

const isEmbedded = await hasEmbeddedDatabase('src/hosts/testing/test-auth.test.ts')

describe.skipIf(!isEmbedded)('a service for tests', () => {
  let test: TestAuth
  beforeAll(async () => {
    test = await createTestAuth({ mfa: { phone: { enrollEnabled: true, verifyEnabled: true } } })
  })
  beforeEach(() => test.reset())
  afterAll(() => test.close())

  it('starts without warnings about settings that it chose', async () => {
    const warnings: unknown[] = []
    const ignore = () => {}
    const warn = (_: object, message: string) => void warnings.push(message)
    const logger = { debug: ignore, info: ignore, warn, error: ignore, fatal: ignore }
    await (await createTestAuth({ logger })).close()

    expect(warnings).toEqual([])
  })

  it('signs a user in, in one line', async () => {
    const ada = await test.signedIn({ email: 'ada@example.test', appMetadata: { plan: 'pro' } })

    const { user, claims } = await test.auth.requireUser({ headers: ada.headers })

    expect(user).toMatchObject({ email: 'ada@example.test', appMetadata: { plan: 'pro' } })
    expect(claims).toMatchObject({ aal: 'aal1' })
  })

  it('supplies the cookies of a signed-in browser, as docs/testing.md describes', async () => {
    const origin = 'https://app.example.test'
    const sessions = createCookieSessions(test.auth, { origin })
    const { session, user } = await test.signedIn()
    const opened = await sessions.open({ method: 'GET', headers: {} })
    await opened.keep(session)
    const cookie = opened.cookieHeader()
    const requireUser = async (method: string, headers: Record<string, string>) =>
      (await (await sessions.open({ method, headers })).requireUser()).user.id

    expect(await requireUser('GET', { cookie })).toBe(user.id)
    expect(await requireUser('POST', { cookie, origin })).toBe(user.id)
    await expect(requireUser('POST', { cookie })).rejects.toMatchObject({
      code: 'origin_not_allowed',
    })
    await test.reset()
    await expect(requireUser('GET', { cookie })).rejects.toMatchObject({ status: 401 })
  })

  it.each([
    [{ aal: 2 } as const, 'aal2', ['totp']],
    [{ aal: 2, factors: ['phone', 'totp'] } as const, 'aal2', ['phone', 'totp']],
    [{ factors: ['totp'] } as const, 'aal1', ['totp']],
  ])('verifies second factors: %j', async (options, aal, types) => {
    const { headers, factors } = await test.signedIn(options)

    const { claims } = await test.auth.requireUser({ headers })

    expect(claims.aal).toBe(aal)
    expect(factors.map(({ type }) => type)).toEqual(types)
  })

  it('continues with a factor: its app shows the next code after some time', async () => {
    test.clock.stop()
    const { session, factors } = await test.signedIn({ factors: ['totp'] })
    const [app] = factors
    const bearer = { accessToken: session.accessToken, factorId: app?.id ?? '' }
    const { id: challengeId } = await test.auth.api.challengeFactor(bearer)
    const prove = async () =>
      test.auth.api.verifyFactor({ ...bearer, challengeId, code: (await app?.code()) ?? '' })

    await expect(prove()).rejects.toMatchObject({ code: 'mfa_verification_failed' })
    test.clock.advance(30)

    expect(await prove()).toMatchObject({ session: { accessToken: expect.any(String) } })
  })

  it('provides the mails as an array, with their links and codes', async () => {
    const { user } = await test.signedIn({ email: 'ada@example.test' })
    await test.auth.api.resetPasswordForEmail({ email: 'ada@example.test' })

    const [mail, ...more] = await test.mails()

    expect(more).toEqual([])
    expect(mail).toMatchObject({ kind: 'recovery', to: 'ada@example.test' })
    const { session } = await test.auth.api.verifyOtp({
      type: 'recovery',
      email: user.email ?? '',
      token: mail?.code ?? '',
    })
    expect(session).not.toBeNull()
  })

  it('opens the link of a mail without warnings', async () => {
    const stderrSpy = vi.spyOn(process.stderr, 'write')
    await test.auth.api.signInWithOtp({ email: 'ada@example.test' })
    const [mail] = await test.mails()

    const opened = await test.auth.fetch(new Request(mail?.link ?? ''))

    expect(opened.headers.get('location')).toContain('#access_token=')
    expect(stderrSpy).not.toHaveBeenCalled()
    stderrSpy.mockRestore()
  })

  it('provides text messages, too', async () => {
    await test.auth.api.signInWithOtp({ phone: '+12025550143' })

    const [message] = await test.textMessages()

    expect(message).toMatchObject({ to: '+12025550143', code: expect.stringMatching(/^\d{6}$/) })
  })

  it('advances time', async () => {
    const { session, headers } = await test.signedIn()

    test.clock.advance('59m')
    await test.auth.requireUser({ headers })
    test.clock.advance('2m')

    await expect(test.auth.requireUser({ headers })).rejects.toMatchObject({ code: 'bad_jwt' })
    const renewed = await test.auth.api.refreshSession(session)
    expect(renewed.session.expiresAt.getTime()).toBeGreaterThan(test.clock.now().getTime())
  })

  it('stops time, and restarts it', () => {
    const noon = new Date('2030-01-01T12:00:00Z')
    test.clock.stop(noon)
    test.clock.advance(1.5)
    expect(test.clock.now()).toEqual(new Date('2030-01-01T12:00:01.500Z'))

    test.clock.reset()
    expect(Math.abs(test.clock.now().getTime() - Date.now())).toBeLessThan(1000)
    for (const wrong of ['soon', Number.NaN])
      expect(() => test.clock.advance(wrong)).toThrow(TypeError)
  })

  it('deletes all data between two tests', async () => {
    await test.signedIn({ email: 'ada@example.test' })
    await test.auth.api.resetPasswordForEmail({ email: 'ada@example.test' })
    test.clock.advance('1h')

    await test.reset()

    expect(await test.mails()).toEqual([])
    expect((await test.auth.admin.listUsers()).users).toEqual([])
    // The address is free again.
    await test.signedIn({ email: 'ada@example.test' })
  })

  it('accepts a configuration of an application whose environment is not set', async () => {
    const other = await createTestAuth({
      siteUrl: undefined,
      database: { url: undefined, schema: 'auth' },
      jwt: { secret: undefined },
      email: { smtp: undefined, from: undefined },
      rateLimits: { header: undefined },
    })

    await other.signedIn({ email: 'ada@example.test' })
    await other.auth.api.resetPasswordForEmail({ email: 'ada@example.test' })

    expect(await other.mails()).toHaveLength(1)
    await other.close()
  })

  it('sends no events to a URL, and calls a function', async () => {
    await using receiver = await startWebServer(answering(200))
    const events = { uri: `${receiver.url}/events`, secrets: 'v1,whsec_YWJjZA==' }
    const other = await createTestAuth({ hooks: { events } })
    await other.signedIn()
    await other.mails()
    await other.close()
    const types: string[] = []
    const third = await createTestAuth({ hooks: { events: ({ type }) => void types.push(type) } })
    await third.signedIn()
    await third.mails()
    await third.close()

    expect(receiver.heard).toEqual([])
    expect(types).toEqual(['user.created', 'session.opened'])
  })

  it('does not limit requests of tests', async () => {
    for (let time = 0; time < 40; time += 1) {
      await test.auth.api.signInWithOtp({ email: 'ada@example.test' })
    }
    expect(await test.mails()).toHaveLength(40)
  })

  it('can run beside another one, on a database of an earlier one', async () => {
    await test.signedIn({ email: 'ada@example.test' })
    const earlier = await createTestAuth()
    await earlier.signedIn({ email: 'ada@example.test' })
    await earlier.close()

    const other = await createTestAuth()
    expect((await other.auth.admin.listUsers()).users).toEqual([])
    await other.signedIn({ email: 'ada@example.test' })

    expect((await test.auth.admin.listUsers()).users).toHaveLength(1)
    await other.close()
  })
})

describe('a service for tests on a database of the application', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await createTestDatabase()
  })
  afterAll(() => database.drop())

  it('is emptied', async () => {
    const first = await createTestAuth({ database: database.url })
    await first.signedIn({ email: 'ada@example.test' })
    await first.close()

    const second = await createTestAuth({ database: { url: database.url } })

    expect((await second.auth.admin.listUsers()).users).toEqual([])
    await second.close()
  })

  it('is locked, and shared with another service in a separate schema', async () => {
    const first = await createTestAuth({ database: database.url })
    await first.signedIn({ email: 'ada@example.test' })

    await expect(createTestAuth({ database: database.url })).rejects.toThrow(/schema auth of/)
    const other = await createTestAuth({ database: { url: database.url, schema: 'auth_2' } })

    expect((await first.auth.admin.listUsers()).users).toHaveLength(1)
    await first.close()
    const next = await createTestAuth({ database: database.url })
    await Promise.all([other.close(), next.close()])
  })

  it.each(['app', 'contest', 'latest_app'])('is rejected with the name %s', async (name) => {
    const started = createTestAuth({ database: `postgres://localhost/${name}` })

    await expect(started).rejects.toThrow(/the word test/)
  })

  it('names the requirement in its error', async () => {
    const started = createTestAuth({ database: 'app_test' })

    await expect(started).rejects.toThrow(/a URL such as postgres:/)
  })
})
