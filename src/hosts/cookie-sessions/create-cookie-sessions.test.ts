import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import { withGivenConfig } from '../../platform/config/given-config.ts'
import { createCookieSessions } from './create-cookie-sessions.ts'

const siteUrl = 'https://app.example.test/start'
const siteOrigin = 'https://app.example.test'

let auth: TestAuth

beforeAll(async () => {
  auth = await startTestAuth({ siteUrl })
  // The wrapper of tests has no configuration.
  withGivenConfig(auth.auth, () => ({ siteUrl }))
})
afterAll(() => auth?.close())

it('warns that forms of the site would be rejected, which is so', async () => {
  const origin = 'https://other.example.test'
  const sessions = createCookieSessions(auth.auth, { origin })
  const form = { method: 'POST', headers: { 'x-use-cookie': '1', origin: siteOrigin } }

  expect((await sessions.fetch(new Request(`${siteOrigin}/signup`, form))).status).toBe(403)
  expect(auth.log.filter(({ message }) => /siteUrl/.test(message))).toMatchObject([
    { level: 'warn', fields: { siteUrl: siteOrigin, origins: [origin] } },
  ])
})

it('does not warn where one of the origins is that of the site', () => {
  auth.log.length = 0

  createCookieSessions(auth.auth, { origin: ['https://other.example.test', siteOrigin] })

  expect(auth.log).toEqual([])
})
