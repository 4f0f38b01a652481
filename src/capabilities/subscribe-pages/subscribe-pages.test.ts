import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PagesAdmin, startTestPages, type TestPages } from '../../../test/support/pages.ts'

// The examples of the specification (B6), the decisions beside them, and each operation (B5).

let pages: TestPages
let maria: PagesAdmin

beforeAll(async () => {
  pages = await startTestPages()
  maria = await pages.admin()
})
afterAll(() => pages.close())

const entries = (values: Record<string, string>) =>
  Object.entries(values).map(([key, value]) => ({ key, value }))

const releaseNotes = {
  title: 'Release notes by mail',
  active: true,
  data: entries({
    intro: 'One mail per release, nothing else.',
    button: 'Keep me posted',
    lists: '3,5',
  }),
}

const ownerOf = ({ user }: PagesAdmin, privileges = everything) => ({
  id: expect.any(Number),
  login_name: user.email,
  email: user.email,
  super_user: true,
  privileges,
  created_at: `${user.createdAt.toISOString().slice(0, 19)}+00:00`,
})
const everything = { subscribers: true, campaigns: true, statistics: true, settings: true }

describe('a page', () => {
  it('is created with its entries, and returned in the order of their keys', async () => {
    const { status, body } = await pages.ask('POST', '/subscribe-pages', {
      key: maria.key,
      body: releaseNotes,
    })

    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(Number),
      title: 'Release notes by mail',
      active: true,
      owner: ownerOf(maria),
      data: [
        { key: 'button', value: 'Keep me posted' },
        { key: 'intro', value: 'One mail per release, nothing else.' },
        { key: 'lists', value: '3,5' },
      ],
    })
    const read = await pages.ask('GET', `/subscribe-pages/${body.id}`, { key: maria.key })
    expect([read.status, read.body]).toEqual([200, body])
  })

  it('is inactive by default, and needs no entries', async () => {
    const { body } = await pages.ask('POST', '/subscribe-pages', {
      key: maria.key,
      body: { title: 'Quiet', unknown: 1 },
    })

    expect(body).toMatchObject({ title: 'Quiet', active: false, data: [] })
  })

  it('is replaced by an update, whose caller becomes the owner', async () => {
    const { id } = await pages.page(maria.key, releaseNotes)
    const other = await pages.admin({ subscribers: true, statistics: true })

    const { status, body } = await pages.ask('PUT', `/subscribe-pages/${id}`, {
      basic: other.key,
      body: { title: 'Release notes', active: false, data: [{ key: 'intro', value: 'Paused.' }] },
    })

    const privileges = { subscribers: true, campaigns: false, statistics: true, settings: false }
    expect(status).toBe(200)
    expect(body).toEqual({
      id,
      title: 'Release notes',
      active: false,
      owner: ownerOf(other, privileges),
      data: [{ key: 'intro', value: 'Paused.' }],
    })
    const read = await pages.ask('GET', `/subscribe-pages/${id}`, { key: maria.key })
    expect(read.body).toEqual(body)
  })

  it.each<[string, object, Record<string, string>]>([
    ['keeps its entries where none are named', {}, { a: '1', b: '2' }],
    ['loses them to an empty list', { data: [] }, {}],
    ['loses them to null', { data: null }, {}],
    [
      'has those that are named and no others',
      { data: entries({ b: '3', c: '4' }) },
      { b: '3', c: '4' },
    ],
    [
      'has the last of two with one key',
      { data: [...entries({ a: 'first' }), ...entries({ a: 'last' })] },
      { a: 'last' },
    ],
    [
      'tells keys apart by their case, in the order of bytes',
      { data: entries({ b: '1', B: '2', é: '3', a: '4' }) },
      { B: '2', a: '4', b: '1', é: '3' },
    ],
  ])('%s', async (_, change, left) => {
    const { id } = await pages.page(maria.key, { data: entries({ a: '1', b: '2' }) })

    const updated = await pages.ask('PUT', `/subscribe-pages/${id}`, {
      key: maria.key,
      body: { title: 'News', active: true, ...change },
    })
    const read = await pages.ask('GET', `/subscribe-pages/${id}`)

    expect(updated.status).toBe(200)
    expect([updated.body.data, read.body.data]).toEqual([entries(left), entries(left)])
  })

  it('is deactivated by an update without the field active', async () => {
    const { id } = await pages.page(maria.key)

    await pages.ask('PUT', `/subscribe-pages/${id}`, { key: maria.key, body: { title: 'News' } })
    const anonymous = await pages.ask('GET', `/subscribe-pages/${id}`)

    expect(anonymous.status).toBe(404)
  })

  it('is deleted with its entries', async () => {
    const { id } = await pages.page(maria.key, releaseNotes)

    const deleted = await pages.ask('DELETE', `/subscribe-pages/${id}`, { key: maria.key })
    const again = await pages.ask('DELETE', `/subscribe-pages/${id}`, { key: maria.key })

    expect([deleted.status, deleted.text]).toEqual([204, ''])
    expect([again.status, again.body]).toEqual([404, { message: 'Subscribe page not found' }])
    const left = await pages.auth.rows(
      'select 1 from auth.subscribe_page_entries where page_id = $1',
      [id],
    )
    expect(left).toEqual([])
  })
})

describe('a page without a session', () => {
  it("is readable while it is active, with the owner's number only", async () => {
    const { id, title, data, owner } = await pages.page(maria.key, releaseNotes)

    const { status, body, text } = await pages.ask('GET', `/subscribe-pages/${id}`)

    expect(status).toBe(200)
    expect(body).toEqual({ id, title, active: true, owner: { id: owner.id }, data })
    expect(text).not.toContain('@')
  })

  it('is not found while it is inactive, like one that never existed', async () => {
    const { id } = await pages.page(maria.key, { active: false })

    const inactive = await pages.ask('GET', `/subscribe-pages/${id}`)
    const missing = await pages.ask('GET', '/subscribe-pages/999999')

    expect(inactive.status).toBe(404)
    expect(inactive.text).toBe(missing.text)
  })
})

describe('the list', () => {
  it('contains pages of all owners, active or not, after a cursor', async () => {
    const other = await pages.admin()
    const one = await pages.page(maria.key, { active: false })
    const two = await pages.page(other.key, releaseNotes)

    const { status, body } = await pages.ask(
      'GET',
      `/subscribe-pages?after_id=${one.id - 1}&limit=2`,
      { key: maria.key },
    )

    expect(status).toBe(200)
    expect(body.items).toEqual([one, two])
    const total = expect.any(Number)
    expect(body.pagination).toEqual({ total, limit: 2, has_more: true, next_cursor: two.id })
  })

  it.each([
    ['', 25],
    ['limit=0', 1],
    ['limit=-3', 1],
    ['limit=100', 100],
    ['limit=101', 100],
    ['limit=99999999999999999999', 100],
    ['limit=abc', 1],
    ['limit=1.5', 1],
    ['limit=', 1],
    ['limit=2&limit=3', 3],
    ['after_id=abc&limit=7', 7],
    ['other=1', 25],
  ])('reads ?%s as the limit %i', async (query, limit) => {
    const { status, body } = await pages.ask('GET', `/subscribe-pages?${query}`, { key: maria.key })

    expect([status, body.pagination.limit]).toEqual([200, limit])
  })

  it.each(['abc', '-1', '0', '', '-99999999999999999999'])(
    'begins at the first page after %j',
    async (after) => {
      const all = await pages.ask('GET', '/subscribe-pages?limit=1', { key: maria.key })
      const { body } = await pages.ask('GET', `/subscribe-pages?limit=1&after_id=${after}`, {
        key: maria.key,
      })

      expect(body.items).toEqual(all.body.items)
    },
  )

  it('is empty after its end, and still contains the total', async () => {
    const { body } = await pages.ask('GET', '/subscribe-pages?after_id=99999999999999999999', {
      key: maria.key,
    })

    expect(body.items).toEqual([])
    expect(body.pagination).toMatchObject({ limit: 25, has_more: false, next_cursor: null })
    expect(body.pagination.total).toBeGreaterThan(0)
  })
})

describe('the responses', () => {
  it('must not be cached, framed, executed or sniffed', async () => {
    for (const [method, path] of [
      ['GET', '/subscribe-pages'],
      ['GET', '/subscribe-pages/999999'],
      ['GET', '/nowhere'],
      ['POST', '/sessions'],
    ] as const) {
      const { headers } = await pages.ask(method, path, {
        body: method === 'POST' ? {} : undefined,
      })

      expect(Object.fromEntries(headers)).toMatchObject({
        'content-type': 'application/json;charset=UTF-8',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'",
        'x-frame-options': 'DENY',
        'x-request-id': expect.stringMatching(/./),
      })
      expect(headers.get('access-control-allow-origin')).toBeNull()
      expect(headers.get('www-authenticate')).toBeNull()
    }
  })

  it.each(['', '/api/v2'])(
    'are served below %j, with a slash at the end or without',
    async (base) => {
      const { id } = await pages.page(maria.key)
      const statusOf = async (path: string) => {
        const headers = { 'php-auth-pw': maria.key }
        const request = new Request(`http://pages.test${base}${path}`, { headers })
        return (await pages.pages.fetch(request)).status
      }

      expect(await statusOf('/subscribe-pages')).toBe(200)
      expect(await statusOf('/subscribe-pages/')).toBe(200)
      expect(await statusOf(`/subscribe-pages/${id}`)).toBe(200)
    },
  )
})
