import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { developerRoot } from '../src/endpoints/http/local-access.ts'
import { createEndpoints, serviceOf } from '../src/service/create-app.ts'
import { openDeveloperPages } from '../src/service/pages/open-service-pages.ts'
import {
  claimsIn,
  type SecondFactors,
  secondFactors,
  statusAndCode,
} from './support/second-factors.ts'
import { startTestAuth, type TestAuth, testPassword } from './support/test-auth.ts'

// Operators who are users: the conditions under which a user's token has access to their endpoints.

let auth: TestAuth
let factors: SecondFactors

beforeAll(async () => {
  auth = await startTestAuth()
  factors = secondFactors(auth)
})
afterAll(() => auth.close())

let made = 0
const newEmail = () => `operator-${++made}@example.test`
const setRole = (id: string, role: string) => auth.auth.admin.updateUser(id, { role })

/** Creates a user who became an operator before signing in. */
async function operator() {
  const user = await auth.given.user(newEmail())
  await setRole(user.id, 'service_role')
  const { accessToken: token, refreshToken } = await factors.signIn(user.email)
  return { user, token, refreshToken }
}

/** Creates an operator with an app: signed in by password only, and with a code of the app. */
async function operatorWithFactor() {
  const { user, token } = await operator()
  const app = await factors.enrolledApp(token)
  const proof = await factors.prove(token, app)
  auth.clock.advance(30)
  const { accessToken: weak } = await factors.signIn(user.email)
  return { user, app, weak, strong: proof.body.access_token as string }
}

const list = (token: string) => auth.get('/admin/users', { token })

describe('H06: the password of an operator who has a second factor', () => {
  it('does not list users, remove factors, invite or create links', async () => {
    const { user, app, weak } = await operatorWithFactor()
    const email = newEmail()
    const factor = `/admin/users/${user.id}/factors/${app.id}`

    const answers = [
      await list(weak),
      await auth.request('DELETE', factor, { token: weak }),
      await auth.post('/invite', { email }, { token: weak }),
      await auth.post('/admin/generate_link', { type: 'magiclink', email }, { token: weak }),
    ]

    expect(answers.map(statusAndCode)).toEqual(answers.map(() => [403, 'insufficient_aal']))
    const [kept] = await auth.auth.admin.listFactors(user.id)
    expect(kept).toMatchObject({ id: app.id, status: 'verified' })
    expect(await auth.auth.admin.findUser({ email })).toBeNull()
  })

  it('is sufficient together with the factor, and after its removal', async () => {
    const { user, app, weak, strong } = await operatorWithFactor()

    const shown = await list(strong)
    await auth.auth.admin.deleteFactor(user.id, app.id)
    const after = await list(weak)

    expect([shown.status, after.status]).toEqual([200, 200])
  })

  it('is not supplemented by a token from before or after the verification', async () => {
    const { user, token } = await operator()
    const app = await factors.enrolledApp(token)
    const strong = (await factors.prove(token, app)).body.access_token
    auth.clock.advance(30)
    const other = await factors.enrolledApp(strong, 'other')
    await factors.prove(strong, other)

    const before = await list(token)
    await auth.auth.admin.deleteFactor(user.id, other.id)
    const after = await list(strong)

    expect(claimsIn(strong).aal).toBe('aal2')
    expect([before, after].map(statusAndCode)).toEqual([
      [403, 'insufficient_aal'],
      [403, 'insufficient_aal'],
    ])
  })

  it('is not supplemented by a token without a session', async () => {
    const { user } = await operatorWithFactor()
    const { keys } = await auth.deps()
    const claims = { sub: user.id, aud: 'authenticated', role: 'service_role', aal: 'aal2' }

    expect(statusAndCode(await list(await keys.sign(claims)))).toEqual([403, 'insufficient_aal'])
  })
})

describe('S06: an operator whose factor was verified earlier', () => {
  /** Creates a session of an operator whose factor was verified 11 minutes ago. */
  async function operatorWithOlderProof() {
    const { user, app, strong } = await operatorWithFactor()
    auth.clock.advance(660)
    return { user, app, token: strong }
  }

  const own: Record<
    string,
    (operator: { user: { id: string; email: string | null }; app: { id: string } }) => Requested
  > = {
    password: ({ user }) => ['PUT', `/admin/users/${user.id}`, { password: 'of the attacker' }],
    email: ({ user }) => ['PUT', `/admin/users/${user.id}`, { email: newEmail() }],
    phone: ({ user }) => ['PUT', `/admin/users/${user.id}`, { phone: '4915733300001' }],
    'phone, its id in capitals': ({ user }) => [
      'PUT',
      `/admin/users/${user.id.toUpperCase()}`,
      { phone: '4915733300001' },
    ],
    'number of a factor': ({ user, app }) => [
      'PUT',
      `/admin/users/${user.id}/factors/${app.id}`,
      { phone: '4915733300002' },
    ],
    factor: ({ user, app }) => ['DELETE', `/admin/users/${user.id}/factors/${app.id}`],
    'email, by a link': ({ user }) => [
      'POST',
      '/admin/generate_link',
      { type: 'email_change_new', email: user.email, new_email: newEmail() },
    ],
  }
  type Requested = [method: string, path: string, body?: object]

  it.each(Object.entries(own))('does not replace the own %s', async (_name, requestOf) => {
    const { user, app, token } = await operatorWithOlderProof()
    const [method, path, body] = requestOf({ user, app })
    const send = (by: string) => auth.request(method, path, { token: by, ...(body && { body }) })

    const refused = await send(token)
    expect(statusAndCode(refused)).toEqual([403, 'reauthentication_needed'])
    expect(refused.body.step_up).toBe('verify')

    const { body: proved } = await factors.prove(token, app)
    expect((await send(proved.access_token)).status).toBe(200)
  })

  it('does not remove an own passkey', async () => {
    const { user, app, token } = await operatorWithOlderProof()
    const path = `/admin/users/${user.id}/passkeys/${crypto.randomUUID()}`
    const remove = async (by: string) =>
      statusAndCode(await auth.request('DELETE', path, { token: by }))

    expect(await remove(token)).toEqual([403, 'reauthentication_needed'])
    const { body: proved } = await factors.prove(token, app)
    expect(await remove(proved.access_token)).toEqual([404, 'validation_failed'])
  })

  it('changes credentials of other users, and the own metadata', async () => {
    const { user, token } = await operatorWithOlderProof()
    const other = await auth.given.user(newEmail())
    const answers = [
      await auth.put(`/admin/users/${other.id}`, { password: 'given by the operator' }, { token }),
      await auth.put(`/admin/users/${user.id}`, { user_metadata: { desk: 7 } }, { token }),
      await auth.post(
        '/admin/generate_link',
        { type: 'email_change_new', email: other.email, new_email: newEmail() },
        { token },
      ),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  })
})

describe('H07: the token of an operator', () => {
  it('of a demoted user does not list or promote users', async () => {
    const { user, token } = await operator()
    const before = await list(token)
    await setRole(user.id, 'authenticated')

    const listed = await list(token)
    const promoted = await auth.put(`/admin/users/${user.id}`, { role: 'service_role' }, { token })

    expect(before.status).toBe(200)
    expect(claimsIn(token).role).toBe('service_role')
    expect([listed, promoted].map(statusAndCode)).toEqual([
      [403, 'not_admin'],
      [403, 'not_admin'],
    ])
    expect((await auth.auth.admin.getUser(user.id)).role).toBe('authenticated')
  })

  it('of a user who was promoted after its issue has the access of the role', async () => {
    const { user, accessToken: token } = await auth.given.session(newEmail())
    const before = await list(token)
    await setRole(user.id, 'supabase_admin')

    const after = await list(token)

    expect(statusAndCode(before)).toEqual([403, 'not_admin'])
    expect(after.status).toBe(200)
  })

  it("is recorded under the operator's current role", async () => {
    const { user, token } = await operator()
    await setRole(user.id, 'supabase_admin')

    const body = { email: newEmail(), password: testPassword }
    const created = await auth.post('/admin/users', body, { token })

    const [entry] = (await auth.auth.admin.listAudit({ userId: created.body.id })).entries
    expect(entry).toMatchObject({ action: 'user_signedup', actorRole: 'supabase_admin' })
  })

  it('that was created by hand, without a session, may have a lower role, and not a higher one', async () => {
    const { user } = await operator()
    const { user: otherUser } = await auth.given.session(newEmail())
    const { keys } = await auth.deps()
    const handMade = (sub: string, role: string) => keys.sign({ sub, aud: 'authenticated', role })

    const both = await list(await handMade(user.id, 'service_role'))
    const less = await list(await handMade(user.id, 'authenticated'))
    const more = await list(await handMade(otherUser.id, 'service_role'))

    expect(both.status).toBe(200)
    expect([less, more].map(statusAndCode)).toEqual([
      [403, 'not_admin'],
      [403, 'not_admin'],
    ])
  })
})

it('T36: no access token opens the mailbox of development', async () => {
  const developing = await startTestAuth({ development: true })
  const deps = await developing.deps()
  const [addPages] = await openDeveloperPages(deps)
  const paths = createEndpoints(serviceOf(deps), addPages)
    ['~routes'].filter(
      ({ method, route }) => method === 'GET' && route?.startsWith(`${developerRoot}/mail`),
    )
    .map(({ route = '' }) => route.replace(/:\w+/, '1'))
  const session = await developing.given.session(newEmail())
  await developing.auth.admin.updateUser(session.user.id, { role: 'service_role' })
  const ask = (path: string, token: string, host: string, ip: string) =>
    developing.get(path, { token, headers: { host }, ip })

  expect(paths.length).toBeGreaterThan(3)
  for (const token of [await developing.given.serviceToken(), session.accessToken]) {
    for (const path of paths) {
      const here = await ask(path, token, '127.0.0.1', '127.0.0.1')
      const elsewhere = await ask(path, token, 'auth.example.test', '203.0.113.7')
      expect([here.status, elsewhere.status], path).toEqual([401, 404])
    }
  }
  await developing.close()
})
