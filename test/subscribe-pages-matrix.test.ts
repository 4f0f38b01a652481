import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPagesEndpoints } from '../src/capabilities/subscribe-pages/pages-app.ts'
import {
  type PagesAdmin,
  type PagesRequestOptions,
  startTestPages,
  type TestPages,
} from './support/pages.ts'
import { secondFactors } from './support/second-factors.ts'
import { testPassword } from './support/test-auth.ts'

// Every route of the app by every kind of caller, and with every malformed input. A new route fails
// here until its callers are listed.

let pages: TestPages
let owner: PagesAdmin
let publicList: number

beforeAll(async () => {
  pages = await startTestPages()
  owner = await pages.admin()
  publicList = (await pages.pages.lists.create({ name: 'News', public: true })).id
})
afterAll(() => pages.close())

interface Route {
  method: string
  path(): Promise<string> | string
  body?: unknown
}

const sample = { title: 'News', data: [{ key: 'a', value: 'b' }] }
const somePage = async (active: boolean) =>
  `/subscribe-pages/${(await pages.page(owner.key, { active })).id}`

const routes = {
  logIn: {
    method: 'POST',
    path: () => '/sessions',
    body: { login_name: 'a@b.test', password: 'x' },
  },
  logOut: { method: 'DELETE', path: async () => `/sessions/${owner.keyId}` },
  me: { method: 'GET', path: () => '/sessions/me' },
  list: { method: 'GET', path: () => '/subscribe-pages' },
  create: { method: 'POST', path: () => '/subscribe-pages', body: sample },
  readActive: { method: 'GET', path: () => somePage(true) },
  readInactive: { method: 'GET', path: () => somePage(false) },
  update: { method: 'PUT', path: () => somePage(true), body: sample },
  delete: { method: 'DELETE', path: () => somePage(true) },
  publicList: { method: 'GET', path: () => `/lists/${publicList}/public` },
} satisfies Record<string, Route>

type RouteName = keyof typeof routes

/** Returns the status for each kind of caller. `logOut` concerns the key of another user. */
const statuses = (row: Partial<Record<RouteName, number>>): Record<RouteName, number> => ({
  logIn: 401,
  logOut: 403,
  me: 403,
  list: 403,
  create: 403,
  readActive: 200,
  readInactive: 404,
  update: 403,
  delete: 403,
  publicList: 200,
  ...row,
})
const administrator = {
  me: 200,
  list: 200,
  create: 201,
  readInactive: 200,
  update: 200,
  delete: 204,
} as const

const tokenOf = async (email: string | null): Promise<string> => {
  const { body } = await pages.auth.post('/token?grant_type=password', {
    email,
    password: testPassword,
  })
  return body.access_token
}

const callers: Record<string, [() => Promise<PagesRequestOptions>, Record<RouteName, number>]> = {
  'nobody in particular': [async () => ({}), statuses({})],
  'a key of an administrator': [
    async () => ({ key: (await pages.admin()).key }),
    statuses(administrator),
  ],
  'the same by HTTP Basic': [
    async () => ({ basic: (await pages.admin()).key }),
    statuses(administrator),
  ],
  'a key without the privilege': [
    async () => ({ key: (await pages.admin({ subscribers: false })).key }),
    statuses({ me: 200, readInactive: 200 }),
  ],
  'a key that nobody has': [async () => ({ key: '0123456789abcdef'.repeat(2) }), statuses({})],
  'a key of somebody who was banned': [
    async () => {
      const { key, user } = await pages.admin()
      await pages.auth.auth.admin.banUser(user.id)
      return { key }
    },
    statuses({}),
  ],
  'a key that was logged out': [
    async () => {
      const { key, keyId } = await pages.admin()
      await pages.ask('DELETE', `/sessions/${keyId}`, { key })
      return { key }
    },
    statuses({}),
  ],
  'a token of an operator': [
    async () => ({ token: await tokenOf((await pages.operator()).email) }),
    statuses(administrator),
  ],
  'a token of an operator without the privilege': [
    async () => ({ token: await tokenOf((await pages.operator({})).email) }),
    statuses({ me: 200, readInactive: 200 }),
  ],
  'a token of an operator with a second factor': [
    async () => {
      const { accessToken, user } = await secondFactors(pages.auth).aal2Session()
      await pages.auth.auth.admin.updateUser(user.id, { role: 'service_role' })
      return { token: accessToken }
    },
    statuses(administrator),
  ],
  'a token of an operator who did not show it': [
    async () => {
      const { user } = await secondFactors(pages.auth).aal2Session()
      await pages.auth.auth.admin.updateUser(user.id, { role: 'service_role' })
      return { token: await tokenOf(user.email) }
    },
    statuses({}),
  ],
  'a token of a user': [
    async () => ({ token: (await pages.auth.given.session()).accessToken }),
    statuses({}),
  ],
  'a token of a user who was an operator': [
    async () => {
      const { id, email } = await pages.operator()
      const token = await tokenOf(email)
      await pages.auth.auth.admin.updateUser(id, { role: 'authenticated' })
      return { token }
    },
    statuses({}),
  ],
  'a token that is about nobody': [
    async () => ({ token: await pages.auth.given.serviceToken() }),
    statuses({ ...administrator, me: 403, create: 403 }),
  ],
  'a token of another role that is about nobody': [
    async () => ({ token: await pages.auth.given.serviceToken('anon') }),
    statuses({}),
  ],
  'a token that is none': [async () => ({ token: 'x.y.z' }), statuses({})],
  'a key and a token': [
    async () => ({
      key: owner.key,
      headers: { authorization: `Bearer ${await pages.auth.given.serviceToken()}` },
    }),
    statuses({ readActive: 403, readInactive: 403 }),
  ],
}

const everything = () =>
  pages.auth.rows(
    `select (select jsonb_agg(p order by id) from auth.subscribe_pages p) as pages,
      (select jsonb_agg(e order by page_id, key) from auth.subscribe_page_entries e) as entries,
      (select jsonb_agg(l order by id) from auth.subscriber_lists l) as lists,
      (select count(*) from auth.subscribe_page_keys) as keys`,
  )

it('lists every route', async () => {
  const { method, path } = {
    method: (route: Route) => route.method,
    path: (route: Route) => route.path(),
  }
  const tried = await Promise.all(
    Object.values(routes).map(
      async (route) => `${method(route)} ${(await path(route)).replace(/\d+/g, 'N')}`,
    ),
  )
  const noCall = (): never => {
    throw new Error('no endpoint is called')
  }
  const deps = await pages.auth.deps()
  const service = { deps, openCall: noCall, signInWithPassword: noCall }
  const app = createPagesEndpoints(service, { basePaths: [''], origins: [] })

  const known = app['~routes']
    .filter(({ method, route }) => method && method !== 'HEAD' && route !== '/**')
    .map(({ method, route }) => `${method} ${route?.replace(/:\w+\(\\d\+\)/g, 'N')}`)
  expect([...new Set(tried)].sort()).toEqual([...new Set(known)].sort())
})

describe('every route returns', () => {
  it.each(Object.keys(callers))('%s', async (name) => {
    const [prepare, expected] = callers[name] ?? [async () => ({}), statuses({})]
    const credentials = await prepare()
    const outcome: Record<string, number> = {}
    for (const [at, route] of Object.entries(routes) as [RouteName, Route][]) {
      const path = await route.path()
      const before = await everything()
      const { status, body } = await pages.ask(route.method, path, {
        ...credentials,
        ...('body' in route && { body: route.body }),
      })
      outcome[at] = status
      if (status >= 400) {
        expect(Object.keys(body), at).toEqual(['message'])
        expect(await everything(), at).toEqual(before)
      }
    }

    expect(outcome).toEqual(expected)
  })
})

const malformed: Record<string, PagesRequestOptions & { query?: string }> = {
  'broken JSON': { body: '{"title":' },
  'bytes that are no text': { body: '\u{fffd}\u0000' },
  'a list': { body: '[]' },
  'a number': { body: '7' },
  null: { body: 'null' },
  'fields of wrong types': {
    body: { title: {}, active: 'x', data: 7, login_name: [], password: {} },
  },
  'entries of wrong types': { body: { title: 'a', data: [1, null, 'x'] } },
  'NUL in texts': { body: { title: '\0', login_name: '\0', password: '\0' } },
  'half of a pair': { body: '{"title":"\\ud800","login_name":"\\udfff","password":"\\ud800"}' },
  'deep nesting': { body: `${'['.repeat(5_000)}${']'.repeat(5_000)}` },
  'a body that is too large': { body: 'x'.repeat(1_100_000) },
  'a query that repeats and lies': { query: '?limit=1&limit=x&after_id=&after_id=9e9&title=x' },
  'a query with NUL': { query: '?limit=%00&after_id=%ff' },
  'a query that is too long': { query: `?x=${'x'.repeat(20_000)}` },
  'an audience that nobody can have': { headers: { 'x-jwt-aud': 'x'.repeat(300) } },
  'odd authorization': { headers: { authorization: 'Basic ///' } },
  'no scheme': { headers: { authorization: 'f'.repeat(32) } },
  'a strange type': { headers: { 'content-type': 'multipart/form-data' } },
}

describe('every route accepts valid input', () => {
  it.each(Object.keys(malformed))('%s', async (name) => {
    const { query = '', headers, ...rest } = malformed[name] ?? {}
    pages.auth.log.length = 0
    for (const [at, route] of Object.entries(routes) as [RouteName, Route][]) {
      const sends = !['GET', 'DELETE'].includes(route.method)
      const path = await route.path()
      const { status, body, text } = await pages.ask(route.method, path + query, {
        ...(headers?.['authorization'] === undefined && { key: owner.key }),
        ...(headers && { headers }),
        ...(sends && { body: 'body' in rest ? rest.body : (route as Route).body }),
      })

      expect(status, `${at}: ${text}`).toBeLessThan(500)
      if (status >= 400) {
        const names = status === 422 ? ['message', 'errors'] : ['message']
        expect(Object.keys(body), at).toEqual(names)
      }
      // Invalid values are rejected as a whole.
      if ('body' in rest && sends) expect([400, 413, 422], at).toContain(status)
      // The log-out deletes the key of the other requests.
      if (at === 'logOut' && status === 204) owner = await pages.admin()
    }
    const faults = pages.auth.log.filter(({ level }) => level === 'error' || level === 'fatal')
    expect(faults).toEqual([])
  })
})
