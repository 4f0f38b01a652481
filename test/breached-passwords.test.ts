import { afterEach, describe, expect, it } from 'vitest'
import type { AuthConfig } from '../src/platform/config/config.ts'
import { type RangeServer, startRangeServer } from './support/range-server.ts'
import { startTestAuth, type TestAuth, testPassword } from './support/test-auth.ts'
import { answering } from './support/web-server.ts'

// Breached passwords, at each endpoint that accepts a password.

const known = 'known horse 1'
const unknown = 'unknown horse 1'

let auth: TestAuth
let server: RangeServer
afterEach(async () => {
  await auth.close()
  await server.close()
})

async function start(passwords: AuthConfig['passwords'] = {}, config: AuthConfig = {}) {
  server = await startRangeServer({ [known]: 3 })
  auth = await startTestAuth(
    { ...config, passwords: { hibpEnabled: true, ...passwords } },
    { fetch: server.fetch },
  )
}

let people = 0
const newEmail = () => `new${++people}@example.test`

/** The response of each endpoint that sets a password. */
const entryPoints: Record<
  string,
  (password: string) => Promise<{ status: number; body: unknown }>
> = {
  'POST /signup': (password) => auth.post('/signup', { email: newEmail(), password }),
  'POST /signup of somebody who is known': async (password) => {
    const { email } = await auth.given.user()
    return auth.post('/signup', { email, password })
  },
  'PUT /user': async (password) => {
    const { accessToken } = await auth.given.session()
    return auth.put('/user', { password }, { token: accessToken })
  },
  'PUT /admin/users/{id}': async (password) => {
    const { id } = await auth.given.user()
    return auth.put(`/admin/users/${id}`, { password }, { token: await auth.given.serviceToken() })
  },
  'POST /admin/generate_link': async (password) =>
    auth.post(
      '/admin/generate_link',
      { type: 'signup', email: newEmail(), password },
      { token: await auth.given.serviceToken() },
    ),
  'POST /verify': (password) =>
    auth.post('/verify', { type: 'invite', token_hash: 'a'.repeat(56), password }),
}

describe.each(Object.entries(entryPoints))('%s', (_, ask) => {
  it('rejects a breached password, and no other', async () => {
    await start()

    const [refused, taken] = [await ask(known), await ask(unknown)]

    expect(refused).toMatchObject({
      status: 422,
      body: {
        error_code: 'weak_password',
        msg: 'Password is known to be weak and easy to guess, please choose a different one.',
        weak_password: { reasons: ['pwned'] },
      },
    })
    expect(taken.body).not.toMatchObject({ error_code: 'weak_password' })
  })

  it('accepts any while the check fails, or none with fail closed', async () => {
    await start()
    server.behave(answering(503))
    expect((await ask(known)).body).not.toMatchObject({ error_code: 'weak_password' })
    expect(
      auth.log.some(({ level, message }) => level === 'warn' && /breach check/.test(message)),
    ).toBe(true)
    await auth.close()
    await server.close()

    await start({ hibpFailClosed: true })
    server.behave(answering(503))
    expect(await ask(unknown)).toMatchObject({
      status: 503,
      body: {
        error_code: 'service_unavailable',
        msg: 'Unable to perform password strength check with HaveIBeenPwned.org.',
      },
    })
  })
})

it('a password is checked alike for known and unknown addresses', async () => {
  await start()
  const { email } = await auth.given.user()
  await auth.post('/signup', { email, password: 'horse 1' })
  await auth.post('/signup', { email: newEmail(), password: 'horse 2' })
  expect(server.heard).toHaveLength(2)
})

it('a password that an operator sets is not checked', async () => {
  await start()
  await auth.auth.admin.createUser({ email: newEmail(), password: known })
  expect(server.heard).toEqual([])
})

it('every violated rule is reported, in order', async () => {
  await start({ minLength: 20, requiredCharacters: ['!'] })
  const { body } = await auth.post('/signup', { email: newEmail(), password: known })
  expect(body.weak_password).toEqual({ reasons: ['length', 'characters', 'pwned'] })
})

it('a password is not checked where the check is disabled', async () => {
  await start({ hibpEnabled: false })
  await auth.post('/signup', { email: newEmail(), password: known })
  expect(server.heard).toEqual([])
})

describe('a sign-in by password', () => {
  const signIn = async (password: string) => {
    const email = newEmail()
    await auth.auth.admin.createUser({ email, password, emailConfirm: true })
    return (given: string) => auth.post('/token?grant_type=password', { email, password: given })
  }

  it('reports a breached password as a warning', async () => {
    await start()
    const ask = await signIn(known)

    const { status, body } = await ask(known)

    expect(status).toBe(200)
    expect(body.weak_password).toMatchObject({ reasons: ['pwned'] })
    expect((await (await signIn(unknown))(unknown)).body.weak_password).toBeNull()
  })

  it('does not check a wrong password, or one for an unknown user', async () => {
    await start()
    const ask = await signIn(unknown)

    expect((await ask(testPassword)).status).toBe(400)
    const unknownUser = { email: newEmail(), password: known }
    expect((await auth.post('/token?grant_type=password', unknownUser)).status).toBe(400)
    expect(server.heard).toEqual([])
  })

  it.each([true, false])(
    'succeeds when the check fails, fail closed: %s',
    async (hibpFailClosed) => {
      await start({ hibpFailClosed })
      server.behave(answering(503))
      const ask = await signIn(known)

      const { status, body } = await ask(known)

      expect([status, body.weak_password]).toEqual([200, null])
    },
  )

  it('waits at most a second for the check', async () => {
    await start()
    const { passwordPolicy } = await auth.deps()
    server.behave(() => {})

    const begun = performance.now()
    expect(await passwordPolicy.findWeaknessInUse(known)).toBeNull()

    // The server never responds: without a time limit the request would not end.
    expect(performance.now() - begun).toBeLessThan(10_000)
  })
})
