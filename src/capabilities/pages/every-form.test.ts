import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MessagingAuth, startMessagingAuth } from '../../../test/support/messages.ts'
import { openBrowser, origin } from '../../../test/support/page-browser.ts'
import { pageRoutes } from './open-pages.ts'

let auth: MessagingAuth

beforeAll(async () => {
  auth = await startMessagingAuth({
    siteUrl: origin,
    basePath: '/auth',
    pages: { enabled: true, name: 'Acme' },
  })
})
afterAll(() => auth?.close())

const forms = pageRoutes.flatMap(({ path, actions = {} }) =>
  Object.keys(actions).map((action) => ({ path, action })),
)

describe.each(forms)('the form $action of $path', ({ path, action }) => {
  const target = `/auth${path}?do=${action}`

  it('is rejected without a token of this browser', async () => {
    const attacker = openBrowser(auth)
    const stolen = attacker.tokenIn((await attacker.get('/auth/sign-in')).text)
    const victim = openBrowser(auth)
    await victim.get('/auth/sign-in')
    for (const form_token of ['', 'x', stolen]) {
      const answer = await victim.send('POST', target, `${new URLSearchParams({ form_token })}`)
      // A page of the account redirects visitors before it shows the error.
      expect([303, 403]).toContain(answer.status)
      if (answer.status === 303)
        expect(answer.headers.get('location')).toMatch(/^\/auth\/(sign-in|second-factor)/)
      expect(victim.jar.has('__Host-latchkey-session')).toBe(false)
    }
  })

  it.each([
    ['another origin', { origin: 'https://evil.test' }],
    ['an opaque origin', { origin: 'null' }],
  ])('is rejected from %s', async (_, headers) => {
    const browser = openBrowser(auth)
    const form_token = browser.tokenIn((await browser.get('/auth/sign-in')).text)
    const form = `${new URLSearchParams({ form_token })}`
    expect((await browser.send('POST', target, form, headers)).status).toBe(403)
  })
})

it.each(pageRoutes.map(({ path }) => path))(
  '%s is neither framed nor stored by a cache (RFC 9700 §4.16)',
  async (path) => {
    const { headers } = await openBrowser(auth).get(`/auth${path}`)

    expect(headers.get('cache-control')).toBe('no-store')
    if (headers.get('location') !== null) return
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('vary')).toMatch(/cookie/i)
  },
)
