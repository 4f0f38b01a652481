import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ownForms, wideForms } from '../../../test/support/redirects/allow-list-forms.ts'
import { hostileTargets } from '../../../test/support/redirects/hostile-targets.ts'
import { redirectSettings } from '../../../test/support/redirects/redirect-settings.ts'
import { strangeTarget } from '../../../test/support/redirects/strange-target.ts'
import { explainRedirect, type RedirectRefusal } from './explain-redirect.ts'

const site = 'https://app.acme.test'

const explain = (candidate: string, siteUrl = site, ...allowList: string[]) =>
  explainRedirect(redirectSettings({ siteUrl, allowList }), candidate)

const isAllowed = (...args: Parameters<typeof explain>) => explain(...args).allowed

describe('with the allow list of the specification', () => {
  const list = ['https://*.acme.test/cb', 'https://docs.acme.test/**', 'acmeapp://login/*']
  list.push('https://203.0.113.7/**')

  it.each([
    ['https://app.acme.test/home?x=1', 'site'],
    ['https://app.acme.test', 'site'],
    ['https://app.acme.test:443/home', 'site'],
    ['https://APP.acme.test/home', 'site'],
    ['https://app.acme.test/über/😀', 'site'],
    ['https://eu.acme.test/cb', list[0]],
    ['https://eu.acme.test/cb#f', list[0]],
    ['https://EU.acme.test/cb', list[0]],
    ['https://docs.acme.test/a/b.html?q=1', list[1]],
    ['acmeapp://login/step2', list[2]],
    ['acmeapp://login/', list[2]],
  ])('allows %s by %s', (target, rule) => {
    const decision = explain(target, site, ...list)
    expect(decision.allowed && decision.rule === 'allow list' ? decision.pattern : 'site').toBe(
      rule,
    )
    expect(decision.allowed).toBe(true)
  })

  it.each<[string, RedirectRefusal]>([
    ['', 'it is empty'],
    [`https://app.acme.test/${'x'.repeat(4096)}`, 'it is longer than 4,096 characters'],
    ['https://app.acme.test/a b', 'it holds a backslash, white space or an invisible character'],
    ['/home', 'it is no absolute URL'],
    ['javascript:alert(1)', 'its scheme leads to no application'],
    ['https://ann@app.acme.test/', 'it names a user'],
    ['https://0xcb007107/', 'its host is written in an unusual way'],
    ['https://2130706433/', 'its host is written in an unusual way'],
    ['https://app.acme.test:/', 'its host is written in an unusual way'],
    ['http://localhost:////', 'its host is written in an unusual way'],
    ['https://docs.acme.test/a/../b', 'its path leads upwards'],
    ['https://203.0.113.7/x', 'its host is an IP address'],
    ['acmeapp://123/x', 'its host is an IP address'],
    ['https://a_b.acme.test/cb', 'its host holds odd characters'],
    ['http://app.acme.test/home', 'it is the site without TLS'],
    ['https://app.acme.test:444/home', 'it is the site on another port'],
    ['https://eu.acme.test/cb?next=1', 'it is neither the site nor on the allow list'],
    ['https://a.b.acme.test/cb', 'it is neither the site nor on the allow list'],
    ['https://docs.acme.test', 'it is neither the site nor on the allow list'],
    ['acmeapp://login/a/b', 'it is neither the site nor on the allow list'],
    ['http://localhost:3000/', 'it is neither the site nor on the allow list'],
    ['http://127.0.0.1:9999/x', 'it is neither the site nor on the allow list'],
    ['http://[::1]:5173/', 'it is neither the site nor on the allow list'],
  ])('refuses %s: %s', (target, reason) => {
    expect(explain(target, site, ...list)).toEqual({ allowed: false, reason })
  })
})

describe('an endpoint of the service that redirects to others', () => {
  const settings = redirectSettings({ siteUrl: site, allowList: ['https://auth.acme.test/**'] })
  const mounted = { ...settings, siteUrl: site, externalUrl: `${site}/auth` }
  const reason = 'it is an endpoint of this service that redirects to others'

  it.each([
    '/oauth/authorize?client_id=evil',
    '/oauth/authorize/',
    '/%6Fauth/%61uthorize',
    '/%256Fauth/authorize',
    '/oauth//authorize',
    '//OAUTH/authorize',
    '/oauth%2Fauthorize',
    '/oauth;x/authorize;y',
    '/oauth/logout?state=1',
    '/authorize?provider=google',
  ])('is no target: %s (S72)', (path) => {
    expect(explainRedirect(settings, `https://auth.acme.test${path}`)).toMatchObject({ reason })
    expect(explainRedirect(mounted, `${site}/auth${path}`)).toMatchObject({ reason })
    expect(explainRedirect(mounted, `${site}/AUTH${path}`)).toMatchObject({ reason })
  })

  it.each([
    ['/oauth/authorize', '/oauth/consent?authorization_id=1'],
    ['/oauth/authorize', '/authorized'],
    ['/oauth/authorize', '/x?next=/oauth/authorize'],
  ])('is not %s in %s', (_, path) => {
    expect(explainRedirect(settings, `https://auth.acme.test${path}`).allowed).toBe(true)
  })

  it('has the host and the mount of the service', () => {
    for (const target of [
      `${site}/oauth/authorize`,
      `${site}/authorize`,
      `${site}/auth2/authorize`,
    ]) {
      expect(explainRedirect(mounted, target).allowed).toBe(true)
    }
    const email = { externalHosts: ['eu.acme.test'] }
    const list = redirectSettings({ siteUrl: site, allowList: ['https://eu.acme.test/**'] })
    const inEu = 'https://eu.acme.test/authorize'
    expect(explainRedirect(list, inEu).allowed).toBe(true)
    expect(explainRedirect({ ...list, email }, inEu)).toMatchObject({ reason })
    const local = redirectSettings({ siteUrl: 'http://localhost:3000' })
    const of = (port: number) => ({ ...local, externalUrl: `http://127.0.0.1:${port}` })
    expect(explainRedirect(of(9999), 'http://localhost:9999/authorize')).toMatchObject({ reason })
    expect(explainRedirect(of(9999), 'http://localhost:3000/authorize').allowed).toBe(true)
  })
})

describe('the site', () => {
  it.each([
    ['http://localhost:3000', 'http://localhost:5173/x', true],
    ['http://localhost:3000', 'http://localhost/x', true],
    ['http://localhost:3000', 'https://localhost:3000/x', true],
    ['http://localhost:3000', 'http://127.0.0.1:5173/x', true],
    ['http://localhost:3000', 'http://[::1]:5173/x', true],
    ['http://127.0.0.1:3000', 'http://app.localhost:5173/x', true],
    ['http://0.0.0.0:3000', 'http://0.0.0.0:5173/x', true],
    ['https://localhost:3000', 'http://localhost:3000/x', false],
    ['http://localhost:3000', 'http://localhost.evil.test/x', false],
    ['http://localhost:3000', 'acmeapp://localhost/x', false],
    ['http://app.acme.test', 'https://app.acme.test/x', true],
    ['http://app.acme.test', 'http://app.acme.test:8080/x', false],
    ['http://app.acme.test:8080', 'https://app.acme.test:8080/x', true],
    ['https://my_app.acme.test', 'https://my_app.acme.test/x', true],
    ['https://192.168.1.5:3000/app', 'https://192.168.1.5:3000/x', true],
    ['https://bücher.test', 'https://xn--bcher-kva.test/x', true],
    ['https://bücher.test', 'https://bücher.test/x', false],
    ['acmeapp://login', 'acmeapp://login/x', true],
    ['acmeapp://login', 'acmeapp://other/x', false],
    ['acmeapp://login', 'https://login/x', false],
    ['acmeapp://login', 'otherapp://login/x', false],
  ])('%s and %s: %s', (siteUrl, target, expected) => {
    expect(isAllowed(target, siteUrl)).toBe(expected)
  })
})

describe('the allow list', () => {
  it.each([
    ['http://localhost:*/**', 'http://localhost:5173/a/b', true],
    ['http://127.0.0.1:*/**', 'http://127.0.0.1:9999/x', true],
    ['http://[::1]:*/**', 'http://[::1]:5173/x', true],
    ['https://**.acme.test/**', 'https://a.b.acme.test/x', true],
    ['https://Docs.Acme.test/**', 'https://docs.acme.test/x', true],
    ['com.acme.app:/cb', 'com.acme.app:/cb', true],
    ['com.acme.app:/cb', 'com.acme.app:/cb/x', false],
    ['com.acme.app:/**', 'com.acme.app://cb', false],
    ['https://docs.acme.test/a?b', 'https://docs.acme.test/axb', true],
    ['https://docs.acme.test/a\\?b', 'https://docs.acme.test/a?b', true],
    ['https://docs.acme.test/**', 'http://docs.acme.test/', false],
    ['https://docs.acme.test/**', 'https://docs.acme.test:8443/', false],
    ['https://docs.acme.test:8443/**', 'https://docs.acme.test:8443/', true],
  ])('with %s, %s: %s', (pattern, target, expected) => {
    expect(isAllowed(target, site, pattern)).toBe(expected)
  })
})

describe('T18, T19: targets that look permitted', () => {
  it('are more than 300', () => {
    expect(hostileTargets.length).toBeGreaterThan(300)
  })

  it.each([{ pattern: 'nothing' }, ...ownForms])(
    'are rejected with $pattern on the list',
    ({ pattern }) => {
      const list = pattern === 'nothing' ? [] : [pattern]
      const settings = redirectSettings({ siteUrl: site, allowList: list })
      expect(hostileTargets.filter((target) => explainRedirect(settings, target).allowed)).toEqual(
        [],
      )
    },
  )

  it.each(wideForms)('do not exceed $pattern', ({ pattern, permits }) => {
    const settings = redirectSettings({ siteUrl: site, allowList: [pattern] })
    const allowed = hostileTargets.filter((target) => explainRedirect(settings, target).allowed)
    expect(allowed.filter((target) => !permits(new URL(target)))).toEqual([])
  })
})

it('T18, T19: every permitted target leads to a host that is permitted', () => {
  const forms = [...ownForms, ...wideForms].map(({ pattern, permits }) => ({
    permits,
    settings: redirectSettings({ siteUrl: site, allowList: [pattern] }),
  }))
  let allowedCount = 0
  fc.assert(
    fc.property(strangeTarget(), (target) => {
      for (const { settings, permits } of forms) {
        const decision = explainRedirect(settings, target)
        if (!decision.allowed) continue
        allowedCount += 1
        const url = new URL(target)
        expect(decision.rule === 'site' ? url.origin === site : permits(url)).toBe(true)
      }
    }),
    { numRuns: 10_000 },
  )
  expect(allowedCount).toBeGreaterThan(500)
})

it('T25: rejects a scheme that runs code in a browser, in any spelling', () => {
  for (const scheme of ['javascript', 'JavaScript', 'data', 'vbscript', 'blob', 'file', 'about']) {
    expect(explain(`${scheme}:x`)).toEqual({
      allowed: false,
      reason: 'its scheme leads to no application',
    })
  }
})
