import { describe, expect, it } from 'vitest'
import type { AuthClient } from './auth-state.ts'
import { requireUser as requireInReact } from './react.ts'
import { requireUser as requireInVue } from './vue.ts'

const user = { id: 'u1', app_metadata: {}, user_metadata: {} }
const clientWith = (session: object | null) =>
  ({ getSession: async () => ({ data: { session }, error: null }) }) as unknown as AuthClient
const signedIn = clientWith({ access_token: 'a', user })
const visitor = clientWith(null)
const url = 'https://app.example.test/account?plan=gold&at=%2F%2Fevil.test'
const signInPath = '/auth/sign-in?redirect_to=%2Faccount%3Fplan%3Dgold%26at%3D%252F%252Fevil.test'

describe('requireUser of latchkey/react', () => {
  const request = new Request(url)

  it('returns the user as a loader, also with the context of a server', async () => {
    expect(await requireInReact(signedIn)({ request })).toEqual(user)
    expect(await requireInReact(signedIn)({ request }, { any: 'context' })).toEqual(user)
  })

  it('returns the result of the next handler as middleware', async () => {
    expect(await requireInReact(signedIn)({ request }, async () => 'page')).toBe('page')
  })

  it('redirects a visitor by a new document, and calls no handler', async () => {
    const next = async () => expect.unreachable()
    const response = await requireInReact(visitor)({ request }, next).catch((error) => error)

    expect(response).toBeInstanceOf(Response)
    expect(response.status).toBe(302)
    expect(response.headers.get('location')).toBe(signInPath)
    expect(response.headers.get('x-remix-reload-document')).toBe('true')
  })

  it('redirects to a page of the application, or below another mount', async () => {
    const locationOf = async (options: Parameters<typeof requireInReact>[1]) =>
      (await requireInReact(visitor, options)({ request }).catch((error) => error)).headers.get(
        'location',
      )

    expect(await locationOf({ signIn: (returnTo) => `/login?from=${returnTo.length}` })).toBe(
      '/login?from=37',
    )
    expect(await locationOf({ basePath: '/shop/auth' })).toBe(`/shop${signInPath}`)
  })
})

describe('requireUser of latchkey/vue', () => {
  const to = { fullPath: '/account?plan=gold&at=%2F%2Fevil.test' }

  it('permits the navigation of a signed-in user', async () => {
    expect(await requireInVue(signedIn)(to)).toBe(true)
  })

  it('redirects a visitor and ends the navigation', async () => {
    const redirects: string[] = []
    const redirect = (path: string) => redirects.push(path)

    expect(await requireInVue(visitor, { redirect })(to)).toBe(false)
    expect(redirects).toEqual([signInPath])
  })

  it('throws on a server without a function that redirects', async () => {
    await expect(requireInVue(visitor)(to)).rejects.toThrow('needs a redirect on a server')
  })
})
