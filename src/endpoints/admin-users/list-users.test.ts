import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Answer, startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'

let auth: TestAuth
let token: string

/**
 * Five users, created in the order of their names at intervals of a second, and one of another
 * audience.
 */
const names = ['ada', 'bea', 'cleo', 'dora', 'edda'] as const
const emails = names.map((name) => `${name}@list.test`)

beforeAll(async () => {
  auth = await startTestAuth()
  token = await auth.given.serviceToken()
  for (const [at, email] of emails.entries()) {
    const userMetadata = { full_name: `${names[at]} Lovelace 10% \\o/`, name: 'Nick' }
    await auth.auth.admin.createUser({ email, userMetadata })
    auth.clock.advance(1)
  }
  await auth.auth.admin.createUser({ email: 'far@list.test', audience: 'elsewhere' })
})
afterAll(() => auth.close())

const list = (query = '', headers = {}) => auth.get(`/admin/users${query}`, { token, headers })
const listed = ({ body }: Answer): string[] =>
  body.users.map(({ email }: { email: string }) => email)
const linksOf = ({ headers }: Answer) => headers.get('link')
const countOf = ({ headers }: Answer) => headers.get('x-total-count')
const newestFirst = emails.toReversed()

/** Returns the pages that the client of @supabase/auth-js reads from the links, by its own code. */
const clientPages = (answer: Answer) =>
  (linksOf(answer) ?? '').split(',').map((link) => {
    const page = Number.parseInt(link.split(';')[0]?.split('=')[1]?.substring(0, 1) ?? '', 10)
    return [JSON.parse(link.split(';')[1]?.split('=')[1] ?? ''), page]
  })

describe('the list of users', () => {
  it('returns whole records, the newest first, with their number and the audience', async () => {
    const answer = await list()
    const [newest] = answer.body.users

    expect(answer.status).toBe(200)
    expect(listed(answer)).toEqual(newestFirst)
    expect(answer.body.aud).toBe('authenticated')
    expect(countOf(answer)).toBe('5')
    expect(linksOf(answer)).toBe('</admin/users?page=1>; rel="last"')
    expect(newest).toEqual((await auth.get(`/admin/users/${newest.id}`, { token })).body)
  })

  it('returns pages, with links to the next and the last', async () => {
    const pages = []
    for (const page of [1, 2, 3]) pages.push(await list(`?page=${page}&per_page=2`))

    expect(pages.map(listed)).toEqual([
      newestFirst.slice(0, 2),
      newestFirst.slice(2, 4),
      newestFirst.slice(4),
    ])
    expect(pages.map(linksOf)).toEqual([
      '</admin/users?page=2&per_page=2>; rel="next", </admin/users?page=3&per_page=2>; rel="last"',
      '</admin/users?page=3&per_page=2>; rel="next", </admin/users?page=3&per_page=2>; rel="last"',
      '</admin/users?page=3&per_page=2>; rel="last"',
    ])
    expect(pages.map(countOf)).toEqual(['5', '5', '5'])
  })

  it('is empty after its last page, and its last page is 0 where there is no user', async () => {
    const behind = await list('?page=4&per_page=2')
    const nothing = await list('?filter=nobody')

    expect([behind, nothing].map(listed)).toEqual([[], []])
    expect([behind, nothing].map(countOf)).toEqual(['5', '0'])
    expect(linksOf(behind)).toBe('</admin/users?page=3&per_page=2>; rel="last"')
    expect(linksOf(nothing)).toBe('</admin/users?page=0&filter=nobody>; rel="last"')
  })

  it('states the number of users on and after a last page that is full', async () => {
    const answers = [await list('?per_page=5'), await list('?page=2&per_page=5')]

    expect(answers.map(listed)).toEqual([newestFirst, []])
    expect(answers.map(countOf)).toEqual(['5', '5'])
  })

  it('reads page 0 as the first one, and empty parameters as missing', async () => {
    const answers = [
      await list('?page=0&per_page=2'),
      await list('?page=&per_page=2&filter=&sort='),
    ]

    expect(answers.map(listed)).toEqual([newestFirst.slice(0, 2), newestFirst.slice(0, 2)])
  })

  it('has links that the client reads correctly, with any other parameters', async () => {
    const filter = 'list,<x>;"=\u00e9'
    await auth.auth.admin.createUser({ email: 'x@list.test', userMetadata: { full_name: filter } })
    await auth.auth.admin.createUser({ email: 'y@list.test', userMetadata: { full_name: filter } })

    const answer = await list(`?filter=${encodeURIComponent(filter)}&per_page=1&a=,&page=1`)
    const [, next = ''] = /<([^>]*)>; rel="next"/.exec(linksOf(answer) ?? '') ?? []
    const second = await auth.get(next, { token })
    await auth.rows(`delete from auth.users where email in ('x@list.test', 'y@list.test')`)

    expect(clientPages(answer)).toEqual([
      ['next', 2],
      ['last', 2],
    ])
    expect([...listed(answer), ...listed(second)].toSorted()).toEqual([
      'x@list.test',
      'y@list.test',
    ])
  })

  it.each([
    ['page=x', /^Bad Pagination Parameters: page /],
    ['page=-1', /^Bad Pagination Parameters: page /],
    ['page=1.5', /^Bad Pagination Parameters: page /],
    ['page=%2B1', /^Bad Pagination Parameters: page /],
    ['page=9999999999', /^Bad Pagination Parameters: page /],
    ['per_page=0', /^Bad Pagination Parameters: per_page /],
    ['per_page=-3', /^Bad Pagination Parameters: per_page /],
    ['per_page=10001', /^Bad Pagination Parameters: per_page /],
    ['page=1&page=2', /^page: must not be repeated/],
    ['filter=%00', /^filter: /],
    ['sort=email', /^Bad Sort Parameters: bad field for sort 'email'$/],
    ['sort=created_at%20up', /^Bad Sort Parameters: bad direction for sort 'up', only 'asc' and/],
    ['sort=created_at%20asc%20desc', /^Bad Sort Parameters: bad direction for sort 'asc desc'/],
  ])('is rejected for %s', async (query, message) => {
    const { status, body } = await list(`?${query}`)

    expect([status, body.error_code]).toEqual([400, 'validation_failed'])
    expect(body.msg).toMatch(message)
  })

  it('accepts the highest page number', async () => {
    const answer = await list('?page=999999999&per_page=10000')

    expect([answer.status, listed(answer)]).toEqual([200, []])
  })

  it.each([
    ['sort=created_at', newestFirst],
    ['sort=created_at%20DESC', newestFirst],
    ['sort=created_at+asc', emails],
    ['sort=created_at%20asc&sort=created_at%20desc', emails],
  ])('is sorted by %s', async (query, expected) => {
    expect(listed(await list(`?${query}`))).toEqual(expected)
  })

  it.each([
    ['a part of the address', 'eo@li', ['cleo@list.test']],
    ['the address in another letter case', 'CLEO', ['cleo@list.test']],
    ['a part of the name in any letter case', 'DORA LOVE', ['dora@list.test']],
    ['a name of another key', 'Nick', []],
    ['wildcards for any letters', 'd_a%@list', ['edda@list.test']],
    ['a backslash', '\\o', newestFirst],
    ['a backslash at its end', 'Lovelace\\', []],
  ])('is filtered by %s', async (_case, filter, expected) => {
    const answer = await list(`?filter=${encodeURIComponent(filter)}`)

    expect(listed(answer)).toEqual(expected)
    expect(countOf(answer)).toBe(String(expected.length))
  })

  it('contains one audience, with its deleted users', async () => {
    const headers = { 'x-jwt-aud': 'elsewhere' }
    const [user] = (await list('', headers)).body.users
    await auth.rows('update auth.users set deleted_at = $2 where id = $1', [
      user.id,
      auth.clock.now().toISOString(),
    ])

    const answer = await list('', headers)

    expect(listed(answer)).toEqual(['far@list.test'])
    expect(answer.body.users[0].deleted_at).toEqual(expect.any(String))
    expect([answer.body.aud, countOf(answer)]).toEqual(['elsewhere', '1'])
  })

  it('lists users of the same instant in one order, so that pages neither repeat nor miss one', async () => {
    const others = await startTestAuth()
    for (let at = 0; at < 7; at += 1) await others.given.user()
    const headers = { token: await others.given.serviceToken() }

    const seen = []
    for (const page of [1, 2, 3, 4]) {
      seen.push(...listed(await others.get(`/admin/users?page=${page}&per_page=2`, headers)))
    }
    await others.close()

    expect(new Set(seen).size).toBe(7)
    expect(seen).toHaveLength(7)
  })
})
