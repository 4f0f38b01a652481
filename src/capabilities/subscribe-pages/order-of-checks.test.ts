import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestPages, type TestPages } from '../../../test/support/pages.ts'

// B5: the response to a request that fails several checks is that of the first one.

let pages: TestPages
let active: number
let inactive: number
const keys: Record<string, string | undefined> = {}

beforeAll(async () => {
  pages = await startTestPages()
  keys['allowed'] = (await pages.admin()).key
  keys['without the privilege'] = (await pages.admin({ campaigns: true })).key
  keys['nobody'] = undefined
  const page = (body: object) => pages.page(String(keys['allowed']), body)
  active = (await page({ active: true })).id
  inactive = (await page({ active: false })).id
})
afterAll(() => pages.close())

const noSession = 'No valid session key was provided as basic auth password.'
const may = (action: string) => `You are not allowed to ${action} subscribe pages.`
const notFound = 'Subscribe page not found'
const badJson = 'Invalid JSON: Syntax error'
const wrongType = 'Invalid request data: title has to be a text.'

const pathOf = (path: string) =>
  path
    .replace('INACTIVE', String(inactive))
    .replace('ACTIVE', String(active))
    .replace('MISSING', '999999')

describe('the first failed check determines the response', () => {
  it.each<[string, string, unknown, string, number, string]>([
    ['GET', '', undefined, 'nobody', 403, noSession],
    ['GET', '', undefined, 'without the privilege', 403, may('view')],
    ['POST', '', '{', 'nobody', 403, noSession],
    ['POST', '', '{', 'without the privilege', 403, may('create')],
    ['POST', '', '{', 'allowed', 400, badJson],
    ['POST', '', { title: 1, data: [{}] }, 'allowed', 400, wrongType],
    ['POST', '', { data: [{}] }, 'allowed', 422, 'Validation failed'],
    ['GET', '/MISSING', undefined, 'nobody', 404, notFound],
    ['GET', '/INACTIVE', undefined, 'nobody', 404, notFound],
    ['GET', '/MISSING', undefined, 'without the privilege', 404, notFound],
    ['PUT', '/MISSING', '{', 'nobody', 403, noSession],
    ['PUT', '/MISSING', '{', 'without the privilege', 403, may('update')],
    ['PUT', '/MISSING', '{', 'allowed', 404, notFound],
    ['PUT', '/ACTIVE', '{', 'allowed', 400, badJson],
    ['PUT', '/ACTIVE', { title: 1, data: [{}] }, 'allowed', 400, wrongType],
    ['PUT', '/ACTIVE', { data: [{}] }, 'allowed', 422, 'Validation failed'],
    ['DELETE', '/MISSING', undefined, 'nobody', 403, noSession],
    ['DELETE', '/MISSING', undefined, 'without the privilege', 403, may('delete')],
    ['DELETE', '/MISSING', undefined, 'allowed', 404, notFound],
  ])('%s %s with %j by %s', async (method, path, body, who, status, message) => {
    const answer = await pages.ask(method, `/subscribe-pages${pathOf(path)}`, {
      key: keys[who],
      body,
    })

    expect([answer.status, answer.body.message]).toEqual([status, message])
  })

  it('and reading requires no privilege', async () => {
    const key = keys['without the privilege']
    const statuses = [active, inactive].map(
      async (id) => (await pages.ask('GET', `/subscribe-pages/${id}`, { key })).status,
    )

    expect(await Promise.all(statuses)).toEqual([200, 200])
  })
})

describe('privileges', () => {
  it.each<[unknown, boolean]>([
    [undefined, true],
    [null, true],
    [{ subscribers: true }, true],
    [{ subscribers: false, campaigns: true }, false],
    [{ campaigns: true }, false],
    [{ subscribers: 'true' }, false],
    [{ subscribers: 1 }, false],
    [{}, false],
    [['subscribers'], false],
    ['subscribers', false],
    [true, false],
  ])('stored as %j open the list: %s', async (privileges, isAllowed) => {
    const { key } = await pages.admin(privileges)

    const { status } = await pages.ask('GET', '/subscribe-pages', { key })
    const { body: me } = await pages.ask('GET', '/sessions/me', { key })

    expect(status).toBe(isAllowed ? 200 : 403)
    expect(me.privileges.subscribers).toBe(isAllowed)
  })
})

describe('unknown resources', () => {
  it.each([
    ['GET', '/subscribe-pages/abc'],
    ['GET', '/subscribe-pages/1a'],
    ['GET', '/subscribe-pages/-1'],
    ['GET', '/subscribe-pages/1.0'],
    ['GET', '/subscribe-pages/%31%00'],
    ['GET', '/subscribe-pages/1/data'],
    ['DELETE', '/sessions/abc'],
    ['GET', '/lists/abc/public'],
    ['GET', '/lists'],
    ['GET', '/nowhere'],
    ['GET', '/%ff'],
  ])('%s %s is no route', async (method, path) => {
    const { status, body } = await pages.ask(method, path, { key: keys['allowed'] })

    expect(status).toBe(404)
    expect(body).toEqual({
      message: expect.stringMatching(/^No route found for "[A-Z]+ \/api\/v2/),
    })
  })

  it.each([
    ['PATCH', '/subscribe-pages/1', 'GET, HEAD, PUT, DELETE'],
    ['POST', '/subscribe-pages/1', 'GET, HEAD, PUT, DELETE'],
    ['PUT', '/subscribe-pages', 'GET, HEAD, POST'],
    ['GET', '/sessions', 'POST'],
    ['GET', '/sessions/1', 'DELETE'],
    ['POST', '/lists/1/public', 'GET, HEAD'],
    ['OPTIONS', '/subscribe-pages', 'GET, HEAD, POST'],
  ])('%s %s is no method of its path', async (method, path, allow) => {
    const { status, body, headers } = await pages.ask(method, path, { key: keys['allowed'] })

    expect([status, headers.get('allow')]).toEqual([405, allow])
    expect(body.message).toBe(
      `No route found for "${method} /api/v2${path}": Method Not Allowed (Allow: ${allow})`,
    )
  })

  it.each(['2147483648', '99999999999999999999', '0'])('page %s is no page', async (id) => {
    const read = await pages.ask('GET', `/subscribe-pages/${id}`)
    const list = await pages.ask('GET', `/lists/${id}/public`)
    const deleted = await pages.ask('DELETE', `/subscribe-pages/${id}`, { key: keys['allowed'] })

    expect([read.body, deleted.body]).toEqual([{ message: notFound }, { message: notFound }])
    expect([list.status, list.body]).toEqual([404, { message: 'Subscriber list not found.' }])
  })
})
