import { inspect } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { whileWritesBreak } from './support/broken-writes.ts'
import {
  startTestAuth,
  type TestAuth,
  testSecret,
  withoutAutoconfirm,
} from './support/test-auth.ts'

// Rule 10: no secret, code, password, token or whole address in a log or an error. The values
// contain the word canary, or are collected when they are issued.

const password = 'canary password'
const newPassword = 'canary new password'
const encryptionKey = 'canary encryption key of 32 bytes or more'

let trusting: TestAuth
let waiting: TestAuth

beforeAll(async () => {
  trusting = await startTestAuth({ encryptionKey })
  waiting = await startTestAuth({ ...withoutAutoconfirm, encryptionKey })
})
afterAll(() => Promise.all([trusting.close(), waiting.close()]))

let made = 0
const newEmail = () => `canary-${++made}@example.test`
const newPhone = () => `4917700${String(++made).padStart(5, '0')}`

/** The secrets that the flows of a user issued, and the errors of the calls in code. */
interface BrowserFlow {
  secrets: string[]
  errors: unknown[]
}

/** Runs all flows, valid and invalid, over the wire and in code. */
async function run(auth: TestAuth): Promise<BrowserFlow> {
  const { api, admin } = auth.auth
  const [email, phone] = [newEmail(), newPhone()]
  const secrets = [phone, testSecret]
  const errors: unknown[] = []
  const met = async <T>(call: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await call()
    } catch (error) {
      errors.push(error)
      return undefined
    }
  }
  const post = async (path: string, body: unknown, token?: string) => {
    const answer = await auth.post(path, body, { token })
    if (answer.body?.access_token) secrets.push(answer.body.access_token, answer.body.refresh_token)
    return answer
  }
  const token = await auth.given.serviceToken()
  secrets.push(token)

  for (const address of [{ email }, { phone }, { email: 'canary@@x' }, { phone: 'canary' }]) {
    await post('/signup', { ...address, password, data: { note: 'canary' } })
    await post('/signup', { ...address, password: 'can' })
    await post('/token?grant_type=password', { ...address, password })
    await post('/token?grant_type=password', { ...address, password: 'canary wrong' })
    await met(() => api.signUp({ ...address, password }))
    await met(() => api.signInWithPassword({ ...address, password: 'canary wrong' }))
    await met(() => admin.createUser({ ...address, password }))
    await post('/admin/users', { ...address, password_hash: '$argon2id$canary' }, token)
  }
  await auth.rows('update auth.users set email_confirmed_at = now() where email = $1', [email])
  const signedIn = await post('/token?grant_type=password', { email, password })
  const { access_token: bearer, refresh_token: refreshToken, user } = signedIn.body
  const refresh = (body: unknown) => post('/token?grant_type=refresh_token', body)
  await refresh({ refresh_token: refreshToken })
  await refresh({ refresh_token: `${refreshToken}canary` })
  await auth.get(`/user?canary=${bearer}`, { token: bearer })
  await auth.get(`/admin/users/${user.id}`, { token: bearer, headers: { 'x-note': 'canary' } })
  await auth.get('/user', { headers: { authorization: `Basic canary` } })
  await auth.get('/user', { token: `${bearer}canary` })
  await auth.get(`/canary/${bearer}`)
  await auth.put('/user', { password: newPassword, email: 'canary@@x' }, { token: bearer })
  await auth.put('/user', { password: newPassword, nonce: 'canary' }, { token: bearer })
  await auth.put(`/admin/users/${user.id}`, { email: newEmail(), password }, { token })
  await post('/signup', `{"email":"${email}","password":"canary`)
  await post('/signup', { email: ['canary'], password: { canary: true } })
  await met(() => auth.auth.verifyToken(`${bearer}canary`))
  await met(() => auth.auth.requireUser({ headers: { authorization: `Bearer ${bearer}` } }))
  await met(() => admin.updateUser(user.id, { phone: 'canary' }))
  await met(() => admin.updateUser(user.id, { email, banDuration: 'canary' }))
  await post('/logout', undefined, bearer)
  return { secrets, errors }
}

/** Returns the places where a text contains a secret. */
function leaksIn(text: string, secrets: string[]): string[] {
  const all = ['canary', '$argon2', ...secrets]
  return all
    .map((secret) => [text.indexOf(secret), secret] as const)
    .filter(([index]) => index >= 0)
    .map(([index]) => text.slice(Math.max(0, index - 80), index + 60))
}

const everythingOf = (value: unknown) => inspect(value, { depth: 12, showHidden: true })

describe.each([
  ['with autoconfirm', () => trusting],
  ['without autoconfirm', () => waiting],
])('rule 10, %s: no secret and no whole address', (_case, pick) => {
  it('is in the log or an error of any flow', async () => {
    const auth = pick()

    const { secrets, errors } = await run(auth)

    expect(auth.log.length).toBeGreaterThan(30)
    expect(errors.length).toBeGreaterThan(8)
    expect(leaksIn(everythingOf(auth.log), secrets)).toEqual([])
    expect(leaksIn(everythingOf(errors), secrets)).toEqual([])
  })

  it('is in the log, a response or an error when the database rejects a statement', async () => {
    const auth = pick()
    const { user, accessToken, refreshToken } = await auth.given.session(newEmail())
    const { passwords } = await auth.deps()
    await auth.auth.admin.updateUser(user.id, { password })
    auth.log.length = 0

    const { answers, errors } = await whileWritesBreak(auth, async () => ({
      answers: [
        await auth.post('/signup', { email: newEmail(), password }),
        await auth.post('/token?grant_type=password', { email: user.email, password }),
        await auth.put('/user', { password: newPassword }, { token: accessToken }),
      ],
      errors: await errorsOf(
        () => auth.auth.api.signUp({ email: newEmail(), password }),
        () => auth.auth.api.signInWithPassword({ email: user.email ?? '', password }),
        () => auth.auth.admin.createUser({ email: newEmail(), password }),
        () => auth.auth.admin.updateUser(user.id, { email: newEmail(), password: newPassword }),
        () => auth.auth.admin.updateUser(user.id, { userMetadata: { note: 'canary' } }),
      ),
    }))

    const secrets = [accessToken, refreshToken, await passwords.hash('x')]
    expect(answers.map(({ status }) => status)).toEqual([500, 500, 403])
    expect(errors).toHaveLength(5)
    expect(leaksIn(everythingOf(auth.log), secrets)).toEqual([])
    expect(leaksIn(answers.map(({ text }) => text).join('\n'), secrets)).toEqual([])
    expect(leaksIn(everythingOf(errors), secrets)).toEqual([])
  })
})

async function errorsOf(...calls: (() => Promise<unknown>)[]): Promise<unknown[]> {
  const settled = await Promise.allSettled(calls.map((call) => call()))
  return settled.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []))
}
