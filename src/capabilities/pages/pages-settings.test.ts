import { expect, it } from 'vitest'
import { minimal, problemsOf } from '../../../test/support/config-problems.ts'
import type { AuthConfig } from '../../platform/config/config.ts'

const problemWith = (config: AuthConfig) =>
  problemsOf({ basePath: '/auth', pages: { enabled: true }, ...config })['pages.origin']

it.each(['http://localhost:3000', 'http://127.0.0.1:3000', 'http://app.example.com'])(
  'the pages of production refuse an origin without TLS, and name the remedy: %s',
  (siteUrl) => {
    expect(problemWith({ ...minimal, siteUrl })).toContain('docs/hosts.md')
  },
)

it('the pages of development accept it on this machine only', () => {
  const development = true
  expect(problemWith({ development, siteUrl: 'http://localhost:3000' })).toBeUndefined()
  expect(problemWith({ development, siteUrl: 'http://app.example.com' })).toContain('https')
})

it('the source of the origin is named where it is a default', () => {
  const given = { enabled: true, origin: 'http://app.example.com' }
  const siteUrl = 'http://app.example.com'

  expect(problemWith({ ...minimal, siteUrl })).toContain('By default it is that of externalUrl.')
  expect(problemWith({ ...minimal, siteUrl, pages: given })).not.toContain('By default')
})
