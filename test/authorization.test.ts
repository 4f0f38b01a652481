import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEndpoints } from '../src/create-app.ts'
import { secondFactors } from './support/second-factors.ts'
import {
  type Answer,
  type GivenSession,
  startTestAuth,
  type TestAuth,
  testPassword,
  testSecret,
} from './support/test-auth.ts'

// Who may ask for what. The routes are the app's own: one that is new is an operator's until it is named
// here, and tried as such.

/** Routes that ask for no token. */
const open = new Set([
  ...['GET /health', 'GET /settings', 'GET /verify', 'POST /verify', 'POST /signup'],
  ...['GET /.well-known/jwks.json', 'GET /.well-known/openid-configuration', 'POST /token'],
  ...['POST /otp', 'POST /magiclink', 'POST /recover', 'POST /resend'],
])

/** Routes of whoever is signed in. */
const personal = new Set([
  ...['GET /user', 'PUT /user', 'DELETE /user', 'POST /logout', 'GET /reauthenticate'],
  ...['POST /factors', 'DELETE /factors/:factor_id'],
  ...['POST /factors/:factor_id/challenge', 'POST /factors/:factor_id/verify'],
])

interface Route {
  method: string
  path: string
}

let auth: TestAuth
let routes: Route[]
/** Somebody with a factor and a challenge to it. */
interface Target extends GivenSession {
  factorId: string
  challengeId: string
}

/** Whose ids are in every path. */
let target: Target

const now = () => Math.floor(auth.clock.now().getTime() / 1000)
async function newTarget(): Promise<Target> {
  const session = await auth.given.session()
  const factors = secondFactors(auth)
  const { id: factorId } = await factors.enrolledApp(session.accessToken)
  const challengeId = await factors.challenge(session.accessToken, factorId)
  return { ...session, factorId, challengeId }
}

const nameOf = ({ method, path }: Route) => `${method} ${path}`
const ofOperators = () =>
  routes.filter((one) => !open.has(nameOf(one)) && !personal.has(nameOf(one)))
const ofUsers = () => routes.filter((one) => personal.has(nameOf(one)))

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A token by hand, signed with a secret, or not at all. */
function handMade(claims: object, { secret = testSecret, alg = 'HS256' } = {}): string {
  const text = `${part({ alg, typ: 'JWT' })}.${part({ exp: now() + 600, ...claims })}`
  if (alg === 'none') return `${text}.`
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
}

/** The same token with other claims, under the signature of the first. */
function rewritten(token: string, claims: object): string {
  const [header, payload = '', signature] = token.split('.')
  const old = JSON.parse(Buffer.from(payload, 'base64url').toString())
  return [header, part({ ...old, ...claims }), signature].join('.')
}

/** A body that would do something at every route. */
const body = () => ({
  ...{ email: 'matrix@example.test', new_email: 'matrix2@example.test', type: 'recovery' },
  ...{ password: 'a brand new password', role: 'service_role', user_metadata: { changed: true } },
  ...{ data: { changed: true }, should_soft_delete: true, ban_duration: '1h' },
  ...{ factor_type: 'totp', friendly_name: 'changed' },
  ...{ challenge_id: target.challengeId, code: '123456' },
})

/** The names of what a path leaves open, such as `user_id`. */
const idsIn = ({ path }: Route): string[] => [...path.matchAll(/:(\w+)/g)].map(([, id]) => id ?? '')

const pathOf = ({ path }: Route, ids: Record<string, string> = {}): string => {
  const { user, factorId } = target
  const all: Record<string, string> = { user_id: user.id, factor_id: factorId, ...ids }
  return path.replaceAll(/:(\w+)/g, (_, id) => all[id] ?? '')
}

const ask = (route: Route, token: string | null, ids?: Record<string, string>): Promise<Answer> =>
  auth.request(route.method, pathOf(route, ids), {
    ...(token !== null && { token }),
    ...(route.method !== 'GET' && { body: body() }),
  })

/** All that a request could have changed. */
const everything = () =>
  auth.rows(
    `select (select jsonb_agg(u order by id) from auth.users u) as users,
      (select jsonb_agg(s.id order by id) from auth.sessions s) as sessions,
      (select count(*) from auth.audit_entries) as entries,
      (select count(*) from auth.one_time_tokens) as tokens,
      (select count(*) from auth.outbox_messages) as messages,
      (select jsonb_agg(f order by id) from auth.factors f) as factors,
      (select jsonb_agg(c order by id) from auth.challenges c) as challenges`,
  )

beforeAll(async () => {
  auth = await startTestAuth({ security: { ownDeletionEnabled: true } })
  const all = createEndpoints(await auth.deps())['~routes']
  routes = all.flatMap(({ method, route }) =>
    method && method !== 'HEAD' && route ? [{ method, path: route }] : [],
  )
  target = await newTarget()
})
afterAll(() => auth.close())

const session = async (change: object = {}): Promise<GivenSession> => {
  const user = await auth.given.user()
  await auth.auth.admin.updateUser(user.id, change)
  const signedIn = await auth.auth.api.signInWithPassword({
    ...{ email: user.email ?? '', password: testPassword },
  })
  return { user, ...signedIn.session }
}

const bannedUser = async (change: object = {}) => {
  const { user, accessToken } = await session(change)
  await auth.auth.admin.banUser(user.id)
  return accessToken
}

/** Whoever is nobody, and whoever's token is no good: at every route that asks for one. */
const strangers: [string, () => Promise<string | null>, number, string][] = [
  ['nobody', async () => null, 401, 'no_authorization'],
  ['a banned user', () => bannedUser(), 403, 'user_banned'],
  ['a banned operator', () => bannedUser({ role: 'service_role' }), 403, 'user_banned'],
  [
    'a user who signed out',
    async () => {
      const { accessToken } = await session({ role: 'service_role' })
      await auth.auth.api.signOut({ accessToken })
      return accessToken
    },
    ...([403, 'session_not_found'] as const),
  ],
  [
    'a user who was deleted',
    async () => {
      const { user, accessToken } = await session({ role: 'service_role' })
      await auth.auth.admin.deleteUser(user.id, { soft: true })
      return accessToken
    },
    ...([403, 'user_not_found'] as const),
  ],
  ...(
    [
      ['expired', () => handMade({ role: 'service_role', sub: target.user.id, exp: now() - 5 })],
      ['not yet valid', () => handMade({ role: 'service_role', nbf: now() + 500 })],
      ['wrongly signed', () => handMade({ role: 'service_role' }, { secret: 'x'.repeat(40) })],
      ['of alg none', () => handMade({ role: 'service_role' }, { alg: 'none' })],
      ['for another audience', () => handMade({ role: 'service_role', aud: 'elsewhere' })],
      ['whose role was forged', () => rewritten(target.accessToken, { role: 'service_role' })],
      ['that is none', () => 'x.y.z'],
    ] as const
  ).map(
    ([name, make]) =>
      [`whoever has a token ${name}`, async () => make(), 403, 'bad_jwt'] as [
        ...[string, () => Promise<string>, number, string],
      ],
  ),
]

/** Who is somebody, but no operator. */
const visitors: [string, () => Promise<string>][] = [
  ['a user', async () => (await session()).accessToken],
  ['the user whom it is about', async () => target.accessToken],
  ['an operator of another service', async () => handMade({ role: 'anon' })],
  ['whoever has several roles', async () => handMade({ role: ['service_role'] })],
  // A value that cannot be made a text of.
  ['whoever is named by an object', async () => handMade({ sub: { toString: '' } })],
  ['whoever has a role in letters of another case', async () => handMade({ role: 'Service_Role' })],
  [
    'a user who claims to be an operator',
    async () => {
      const { user, accessToken } = await session()
      const data = { role: 'service_role', app_metadata: { role: 'service_role' } }
      await auth.put('/user', { ...data, data }, { token: accessToken })
      const again = { email: user.email ?? '', password: testPassword }
      return (await auth.auth.api.signInWithPassword(again)).session.accessToken
    },
  ],
]

it('knows every route that it names', () => {
  const names = routes.map(nameOf)

  for (const name of [...open, ...personal]) expect(names).toContain(name)
  expect(ofOperators().map(nameOf)).toContain('DELETE /admin/users/:user_id')
})

describe('T36: a route of operators', () => {
  it('has a path that says so, or is the invitation', () => {
    for (const one of ofOperators()) expect(nameOf(one)).toMatch(/^\w+ \/(admin\/|invite$)/)
  })

  it('lets operators in', async () => {
    for (const one of ofOperators().filter(({ method }) => method !== 'DELETE')) {
      const { status, body } = await ask(one, await auth.given.serviceToken())

      expect([401, 403], `${nameOf(one)} ${body.error_code}`).not.toContain(status)
    }
    await auth.auth.admin.unbanUser(target.user.id)
    target = await newTarget()
  })

  it.each(strangers)('refuses %s', async (_who, tokenOf, status, code) => {
    const token = await tokenOf()
    const before = await everything()

    for (const one of ofOperators()) {
      const answer = await ask(one, token)
      expect([answer.status, answer.body.error_code], nameOf(one)).toEqual([status, code])
    }
    expect(await everything()).toEqual(before)
  })

  it.each(visitors)('refuses %s', async (_who, tokenOf) => {
    const token = await tokenOf()
    const before = await everything()

    for (const one of ofOperators()) {
      const answer = await ask(one, token)
      expect([answer.status, answer.body.error_code], nameOf(one)).toEqual([403, 'not_admin'])
    }
    expect(await everything()).toEqual(before)
  })
})

describe('a route of whoever is signed in', () => {
  it.each(strangers)('refuses %s', async (_who, tokenOf, status, code) => {
    const token = await tokenOf()
    const before = await everything()

    for (const one of ofUsers()) {
      const answer = await ask(one, token)
      expect([answer.status, answer.body.error_code], nameOf(one)).toEqual([status, code])
    }
    expect(await everything()).toEqual(before)
  })

  it('refuses operators, who are nobody in particular', async () => {
    const token = await auth.given.serviceToken()

    for (const one of ofUsers()) expect((await ask(one, token)).status, nameOf(one)).toBe(403)
  })
})

describe('a route with an id in its path', () => {
  const withId = () => routes.filter(({ path }) => path.includes(':'))
  const leadsAway = (route: Route, ids: Record<string, string>) => {
    const { pathname } = new URL(pathOf(route, ids), 'http://auth.test')
    return lengthOf(pathname) !== lengthOf(route.path)
  }
  const lengthOf = (path: string) => path.split('/').filter((part) => part !== '').length

  it.each([
    ...[
      'ada',
      '0',
      'null',
      '*',
      '%00',
      '%20',
      '%ff',
      "'",
      '1%20or%201=1',
      '../users',
      '..%2fusers',
    ],
    ...['%2e%2e%2fusers', '%2e%2e', '..', './', '..;', '..%5cusers', '%252e%252e%252fusers'],
    ...['ID%20', 'ID%00', 'ID%2f..', 'ID/..', 'ID/../', 'ID%2f', 'ID,ID', '{ID}', 'urn:uuid:ID'],
  ])('T23: takes %s for no id, and does nothing', async (form) => {
    const operator = await auth.given.serviceToken()
    const before = await everything()

    for (const [one, name] of withId().flatMap((one) =>
      idsIn(one).map((id) => [one, id] as const),
    )) {
      const right = name === 'user_id' ? target.user.id : target.factorId
      const ids = { [name]: form.replaceAll('ID', right) }
      // What a URL is that leads to another one, is settled before we see it: it lists, or creates, or is
      // about the user whose factor it named.
      const leadsOn = ['GET', 'POST'].includes(one.method) || name === 'factor_id'
      if (leadsOn && leadsAway(one, ids)) continue
      const token = personal.has(nameOf(one)) ? target.accessToken : operator
      const { status, body } = await ask(one, token, ids)

      expect([400, 404, 405], `${nameOf(one)}: ${body.error_code}`).toContain(status)
    }
    expect(await everything()).toEqual(before)
  })

  it('T37: is about nobody else’s things', async () => {
    const stranger = await session()
    const before = await everything()

    for (const one of withId()) {
      const { status } = await ask(one, stranger.accessToken)
      expect([403, 404], nameOf(one)).toContain(status)
    }
    expect(await everything()).toEqual(before)
    expect((await auth.get('/user', { token: target.accessToken })).status).toBe(200)
  })
})
