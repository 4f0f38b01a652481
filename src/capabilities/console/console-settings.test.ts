import { describe, expect, it } from 'vitest'
import { problemsWith, resolve, secret } from '../../../test/support/config-problems.ts'

describe('the console', () => {
  it('is disabled by default, and enables the pages', () => {
    expect(resolve({}).console).toEqual({ enabled: false, viewerRoles: ['console_viewer'] })
    expect(resolve({}).pages.enabled).toBe(false)
    expect(resolve({ console: { enabled: true } }).pages.enabled).toBe(true)
  })

  it('leads invited users to the pages, as enabled pages do', () => {
    const inviteOf = (config: object) => resolve(config).email.urlPaths.invite
    const enabled = { enabled: true }

    expect(inviteOf({ console: enabled })).toBe(inviteOf({ pages: enabled }))
    expect(inviteOf({ console: enabled })).toMatch(/\/confirm$/)
    expect(inviteOf({})).not.toMatch(/\/confirm$/)
  })

  it('requires the pages', () => {
    const problems = problemsWith({ console: { enabled: true }, pages: { enabled: false } })
    expect(problems).toHaveProperty(['pages.enabled'])
  })

  it('is named as the reason for the pages where their origin has no TLS', () => {
    const reasonOf = (config: object) =>
      String(problemsWith({ externalUrl: 'http://auth.example.com', ...config })['pages.origin'])
    const console = { enabled: true }

    expect(reasonOf({ console })).toContain('the pages, which console.enabled enables, keep')
    expect(reasonOf({ console, pages: console })).toContain('the pages keep')
  })

  it.each([
    [{ console: { viewerRoles: ['authenticated'] } }],
    [{ console: { viewerRoles: ['Anon'] } }],
    [{ console: { viewerRoles: ['member'] }, jwt: { secret, defaultRole: 'member' } }],
    [{ console: { viewerRoles: ['service_role'] } }],
  ])('rejects viewer roles that users have: %j', (config) => {
    expect(Object.keys(problemsWith(config))).toEqual(['console.viewerRoles'])
  })
})
