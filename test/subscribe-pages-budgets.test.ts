import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MeteredAuth, startMeteredAuth } from './support/metered-auth.ts'
import { type PagesAdmin, pagesBeside, type TestPages } from './support/pages.ts'
import { testPassword } from './support/test-auth.ts'

// The cost of each operation, measured between the pool and PostgreSQL, authentication included.

let auth: MeteredAuth
let pages: TestPages
let maria: PagesAdmin
let id: number

beforeAll(async () => {
  auth = await startMeteredAuth()
  pages = pagesBeside(auth)
  maria = await pages.admin()
  const data = [{ key: 'a', value: 'b' }]
  for (let at = 0; at < 5; at += 1) id = (await pages.page(maria.key, { data })).id
})
afterAll(() => auth.close())

const budget = (statements: number, trips = statements) => ({ statements, trips })
const body = { title: 'News', data: [{ key: 'c', value: 'd' }] }

describe('with a key', () => {
  it('the list is one statement, whatever the number of pages and entries', async () => {
    const cost = await auth.measure(() => pages.ask('GET', '/subscribe-pages', { key: maria.key }))

    expect(cost.result.body.items).toHaveLength(5)
    expect(cost).toMatchObject(budget(1))
  })

  it('a page is one statement, as without a key', async () => {
    const own = await auth.measure(() =>
      pages.ask('GET', `/subscribe-pages/${id}`, { key: maria.key }),
    )
    const anybodys = await auth.measure(() => pages.ask('GET', `/subscribe-pages/${id}`))

    expect([own.result.status, anybodys.result.status]).toEqual([200, 200])
    expect([own, anybodys]).toMatchObject([budget(1), budget(1)])
  })

  it('a new page is two statements, the first one of an owner, too', async () => {
    const other = await pages.admin()
    const create = (key: string) =>
      auth.measure(() => pages.ask('POST', '/subscribe-pages', { key, body }))
    const costs = [await create(maria.key), await create(other.key)]

    expect(costs.map(({ result }) => result.status)).toEqual([201, 201])
    expect(costs).toMatchObject([budget(2), budget(2)])
  })

  it('an update is two statements, and a deletion', async () => {
    const path = `/subscribe-pages/${id}`
    const updated = await auth.measure(() => pages.ask('PUT', path, { key: maria.key, body }))
    const deleted = await auth.measure(() => pages.ask('DELETE', path, { key: maria.key }))

    expect([updated.result.status, deleted.result.status]).toEqual([200, 204])
    expect([updated, deleted]).toMatchObject([budget(2), budget(2)])
  })

  it('an invalid one costs nothing', async () => {
    const cost = await auth.measure(() => pages.ask('GET', '/subscribe-pages', { key: 'none' }))

    expect(cost.result.status).toBe(403)
    expect(cost).toMatchObject(budget(0))
  })
})

describe('with a token', () => {
  it('of an operator each is one more statement, to authenticate', async () => {
    const { body: session } = await auth.post('/token?grant_type=password', {
      email: maria.user.email,
      password: testPassword,
    })
    const token: string = session.access_token
    const { id: page } = await pages.page(maria.key)
    const costs = [
      await auth.measure(() => pages.ask('GET', '/subscribe-pages', { token })),
      await auth.measure(() => pages.ask('GET', `/subscribe-pages/${page}`, { token })),
      await auth.measure(() => pages.ask('POST', '/subscribe-pages', { token, body })),
      await auth.measure(() => pages.ask('PUT', `/subscribe-pages/${page}`, { token, body })),
    ]

    expect(costs.map(({ result }) => result.status)).toEqual([200, 200, 201, 200])
    expect(costs).toMatchObject([budget(2), budget(2), budget(2), budget(3)])
  })

  it('without a user the list is one statement', async () => {
    const token = await auth.given.serviceToken()
    const cost = await auth.measure(() => pages.ask('GET', '/subscribe-pages', { token }))

    expect([cost.result.status, cost]).toMatchObject([200, budget(1)])
  })
})

it('a public list is one statement', async () => {
  const list = await pages.pages.lists.create({ name: 'News', public: true })
  const cost = await auth.measure(() => pages.ask('GET', `/lists/${list.id}/public`))

  expect([cost.result.status, cost]).toMatchObject([200, budget(1)])
})
