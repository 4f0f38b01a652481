import { afterEach, describe, expect, it } from 'vitest'
import { minimal, problemsWith } from '../../../test/support/config-problems.ts'
import { type MessagingAuth, startMessagingAuth } from '../../../test/support/messages.ts'
import { openBrowser } from '../../../test/support/page-browser.ts'
import { testPassword } from '../../../test/support/test-auth.ts'
import { checkConfig } from '../../platform/config/check-config.ts'

const local = 'http://localhost:3000'
const enabled = { basePath: '/auth', pages: { enabled: true } }
const warningsFor = (siteUrl: string) =>
  checkConfig({ ...minimal, ...enabled, siteUrl }).warnings.filter((text) =>
    text.startsWith('pages.origin'),
  )

describe('the origin of the pages in production', () => {
  it('may lack TLS on this machine, with a warning', () => {
    for (const siteUrl of [local, 'http://127.0.0.1:3000', 'http://[::1]:3000'])
      expect(warningsFor(siteUrl), siteUrl).toEqual([expect.stringContaining('not encrypted')])
    expect(warningsFor('https://app.example.com')).toEqual([])
  })

  it('needs TLS on every other host', () => {
    for (const siteUrl of [
      'http://app.example.com',
      'http://10.0.0.7:3000',
      'http://localhost.example.com',
    ])
      expect(problemsWith({ ...enabled, siteUrl })['pages.origin'], siteUrl).toContain(
        'http://localhost:3000',
      )
  })
})

describe('pages on this machine without TLS', () => {
  let auth: MessagingAuth | undefined
  afterEach(() => auth?.close())

  it('sign a user in, and accept no form of another origin', async () => {
    auth = await startMessagingAuth({ siteUrl: local, ...enabled, email: { autoconfirm: true } })
    const browser = openBrowser(auth)
    const fields = { email: 'ada@example.test', password: testPassword }
    const signUpFrom = (origin: string) =>
      browser.submit(`${local}/auth/sign-up`, 'password', fields, { origin })

    const foreign = await signUpFrom('http://127.0.0.1:3000')
    expect(foreign.status).toBe(403)
    expect([...browser.jar.keys()]).not.toContain('latchkey-session')
    const own = await signUpFrom(local)

    expect(own.status).toBe(303)
    expect([...browser.jar.keys()]).toContain('latchkey-session')
  })
})
