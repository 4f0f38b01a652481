import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { secondFactors } from './support/second-factors.ts'
import {
  type GivenSession,
  startTestAuth,
  type TestAuth,
  testPassword,
} from './support/test-auth.ts'

// A client that sends headers and delays the body is authenticated after the body: access that it
// had before does not count.

let auth: TestAuth

beforeAll(async () => {
  auth = await startTestAuth({ security: { ownDeletionEnabled: true } })
})
afterAll(() => auth.close())

const newPassword = 'a password of the thief'

/** Starts a request whose body is sent later. */
async function held(method: string, path: string, token: string, body: object) {
  const { readable, writable } = new TransformStream()
  const answer = auth.auth.fetch(
    new Request(`http://auth.test${path}`, {
      method,
      body: readable,
      duplex: 'half',
      headers: { authorization: `Bearer ${token}` },
    } as RequestInit),
  )
  // Enough time for all steps before the body.
  await wait(100)
  const send = async (): Promise<unknown[]> => {
    const writer = writable.getWriter()
    const sent = [writer.write(new TextEncoder().encode(JSON.stringify(body))), writer.close()]
    // A rejected request is not read to its end.
    Promise.all(sent).catch(() => {})
    const answered = await answer
    const { error_code: code } = (await answered.json()) as { error_code?: string }
    return [answered.status, code]
  }
  return { send }
}

const canSignIn = async (email: string | null, password: string) => {
  const { status } = await auth.post('/token?grant_type=password', { email, password })
  return status === 200
}

describe('H07: a request that has begun', () => {
  it('of a demoted operator does not promote a user', async () => {
    const { user, accessToken } = await auth.given.session()
    await auth.auth.admin.updateUser(user.id, { role: 'service_role' })
    const promotion = await held('PUT', `/admin/users/${user.id}`, accessToken, {
      role: 'service_role',
    })
    await auth.auth.admin.updateUser(user.id, { role: 'authenticated' })

    expect(await promotion.send()).toEqual([403, 'not_admin'])
    expect((await auth.auth.admin.getUser(user.id)).role).toBe('authenticated')
  })

  it.each([
    [
      'a sign-out',
      'session_not_found',
      ({ user }: GivenSession) => auth.auth.admin.signOut(user.id),
    ],
    ['a ban', 'user_banned', ({ user }: GivenSession) => auth.auth.admin.banUser(user.id)],
  ])('in a session sets no password after %s', async (_what, code, remedy) => {
    const session = await auth.given.session()
    const change = await held('PUT', '/user', session.accessToken, { password: newPassword })
    await remedy(session)

    expect(await change.send()).toEqual([403, code])
    await auth.auth.admin.unbanUser(session.user.id)
    expect(await canSignIn(session.user.email, newPassword)).toBe(false)
    expect(await canSignIn(session.user.email, testPassword)).toBe(true)
  })

  it('with a weak session sets no password once the user has a second factor', async () => {
    const factors = secondFactors(auth)
    const { user, accessToken } = await auth.given.session()
    const { accessToken: strong } = await factors.signIn(user.email)
    const app = await factors.enrolledApp(strong)
    const change = await held('PUT', '/user', accessToken, { password: newPassword })
    await factors.prove(strong, app)

    const [status] = await change.send()

    expect([401, 403]).toContain(status)
    expect(await canSignIn(user.email, newPassword)).toBe(false)
  })
})

/** Runs a request, and other work while its password is hashed or compared. */
async function whileHashing(ask: () => Promise<unknown>, work: () => Promise<unknown>) {
  const { passwords } = await auth.deps()
  const { hash, verify } = passwords
  const workOnce = async () => {
    Object.assign(passwords, { hash, verify })
    await work()
  }
  passwords.hash = async (...args) => {
    await workOnce()
    return hash(...args)
  }
  passwords.verify = async (...args) => {
    const isRight = await verify(...args)
    await workOnce()
    return isRight
  }
  await ask()
}

describe('H07: a request whose password is being hashed', () => {
  const statusAndCode = ({ status, body }: Awaited<ReturnType<TestAuth['put']>>) => [
    status,
    body.error_code,
  ]

  const remedies = [
    [
      'the user signs out everywhere',
      'session_not_found',
      async ({ accessToken }: GivenSession) => auth.post('/logout', {}, { token: accessToken }),
    ],
    [
      'an operator ends the sessions',
      'session_not_found',
      ({ user }: GivenSession) => auth.auth.admin.signOut(user.id),
    ],
    [
      'the session is revoked',
      'session_not_found',
      ({ user }: GivenSession) =>
        auth.rows('update auth.sessions set revoked_at = now() where user_id = $1', [user.id]),
    ],
    [
      'the user is banned',
      'user_banned',
      ({ user }: GivenSession) => auth.auth.admin.banUser(user.id),
    ],
  ] as const

  it.each(remedies)('sets no password once %s', async (_what, code, remedy) => {
    const session = await auth.given.session()
    const { user, accessToken: token } = session
    let answer: unknown[] = []

    await whileHashing(
      async () => {
        answer = statusAndCode(
          await auth.put('/user', { password: newPassword, data: { a: 1 } }, { token }),
        )
      },
      () => remedy(session),
    )

    expect(answer).toEqual([403, code])
    await auth.auth.admin.unbanUser(user.id)
    expect((await auth.auth.admin.getUser(user.id)).userMetadata).not.toHaveProperty('a')
    expect(await canSignIn(user.email, newPassword)).toBe(false)
    expect(await canSignIn(user.email, testPassword)).toBe(true)
  })

  it.each(remedies)('deletes no user once %s', async (_what, code, remedy) => {
    const session = await auth.given.session()
    const { user, accessToken: token } = session
    let answer: unknown[] = []

    await whileHashing(
      async () => {
        const body = { password: testPassword }
        answer = statusAndCode(await auth.request('DELETE', '/user', { token, body }))
      },
      () => remedy(session),
    )

    expect(answer).toEqual([403, code])
    expect((await auth.auth.admin.getUser(user.id)).id).toBe(user.id)
  })
})
