import { H3 } from 'h3'
import { describe, expect, it } from 'vitest'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { readQuery } from '../../platform/http/read-request.ts'
import { readRedirectTo } from './read-input.ts'

const app = new H3({ silent: true, onError: ({ cause }) => answer(cause) })
app.get('/', (event) => ({ ...readRedirectTo(event) }))
app.get('/:name', (event) => ({ value: readQuery(event, event.context.params?.name ?? '') }))

const answer = (cause: unknown) =>
  cause instanceof AuthError && Response.json({ refused: cause.message }, { status: cause.status })

const ask = async (path: string, headers: Record<string, string> | Headers = {}) => {
  const response = await app.request(path, { headers })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

describe('the redirect target of a request', () => {
  it.each<[string, Record<string, string>, object]>([
    ['/', {}, {}],
    ['/?redirect_to=', { redirect_to: '' }, {}],
    ['/?redirect_to=https%3A%2F%2Fa.test%2F%3Fb%3Dc', {}, { target: 'https://a.test/?b=c' }],
    ['/?redirect%5Fto=https://a.test', {}, { target: 'https://a.test' }],
    ['/', { redirect_to: 'https://b.test' }, { target: 'https://b.test' }],
    [
      '/?redirect_to=https://a.test',
      { redirect_to: 'https://b.test' },
      { target: 'https://b.test' },
    ],
    ['/', { referer: 'https://c.test/' }, { referer: 'https://c.test/' }],
    [
      '/?redirect_to=https://a.test',
      { referer: 'https://c.test/' },
      { target: 'https://a.test', referer: 'https://c.test/' },
    ],
    ['/?Redirect_To=https://a.test&redirect_to[]=https://b.test', {}, {}],
  ])('of %s with %j is %j', async (path, headers, wish) => {
    expect(await ask(path, headers)).toEqual({ status: 200, body: wish })
  })

  it('is not read from two headers: joined, they are not a permitted URL', async () => {
    const headers = new Headers([
      ['redirect_to', 'https://a.test/'],
      ['redirect_to', 'https://b.test/'],
    ])
    expect((await ask('/', headers)).body.target).toBe('https://a.test/, https://b.test/')
  })
})

describe('T24: a parameter that is repeated', () => {
  it.each([
    '/?redirect_to=https://a.test&redirect_to=https://b.test',
    '/?redirect_to=https://a.test&redirect_to=https://a.test',
    '/?redirect_to=&redirect_to=https://b.test',
    '/?redirect_to=https://a.test&x=1&redirect%5Fto=https://b.test',
    '/?redirect_to=https://a.test&%72edirect_to=',
  ])('is rejected, with any order of the values: %s', async (path) => {
    for (const headers of [{}, { redirect_to: 'https://c.test' }]) {
      expect(await ask(path, headers)).toEqual({
        status: 400,
        body: { refused: 'redirect_to: must not be repeated' },
      })
    }
  })

  it.each(['token', 'type', 'state'])('is rejected when it is %s', async (name) => {
    expect((await ask(`/${name}?${name}=a`)).body).toEqual({ value: 'a' })
    expect((await ask(`/${name}?${name}=a&${name}=a`)).status).toBe(400)
    expect((await ask(`/${name}?${name}=a&${name}=b`)).status).toBe(400)
  })
})
