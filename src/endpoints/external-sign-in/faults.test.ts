import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { whileWritesBreak } from '../../../test/support/broken-writes.ts'
import {
  clubMember,
  clubSettings,
  type FakeRealm,
  openBrowser,
  realmSettings,
  startFakeRealm,
} from '../../../test/support/fake-realm.ts'
import { type MessagingAuth, startMessagingAuth } from '../../../test/support/messages.ts'
import { answerJson, startWebServer, type WebServer } from '../../../test/support/web-server.ts'
import { defineProvider } from '../../credentials/external/define-provider.ts'
import { oidc } from '../../credentials/external/oidc.ts'

const requestTimeoutSeconds = 4

let realm: FakeRealm
let slow: WebServer
let dead: WebServer
let auth: MessagingAuth

beforeAll(async () => {
  realm = await startFakeRealm()
  // Each response is in time; all of them together are not.
  slow = await startWebServer(async (response, { path }) => {
    await sleep(800)
    if (path === '/token') answerJson(response, 200, { access_token: 'slow', token_type: 'bearer' })
    else answerJson(response, 200, {})
  })
  dead = await startWebServer((response) => void response.socket?.destroy())
  const client = { clientId: 'client', clientSecret: 'secret' }
  auth = await startMessagingAuth({
    server: { requestTimeoutSeconds },
    providers: {
      keycloak: realmSettings(realm),
      club: clubSettings(realm),
      slow: defineProvider({
        ...client,
        label: 'Slow',
        endpoints: () => ({ authorization: `${slow.url}/auth`, token: `${slow.url}/token` }),
        readProfile: async ({ get }) => {
          for (let requested = 0; requested < 5; requested++) await get(`${slow.url}/me`)
          return { subject: 'slow', emails: [], claims: {} }
        },
      }),
      hung: defineProvider({
        ...client,
        label: 'Hung',
        endpoints: () => new Promise(() => {}),
        readProfile: () => new Promise(() => {}),
      }),
      dead: oidc({ ...client, issuer: dead.url }),
      'dead-twitter': clubSettings({ url: dead.url }),
      twitter: { ...client, url: dead.url },
    },
  })
})
afterAll(async () => {
  await auth.close()
  await Promise.all([realm.close(), slow.close(), dead.close()])
})

let count = 0
const member = () =>
  clubMember(`subject-${++count}`, [{ address: `ann-${count}@example.test`, isVerified: true }])

describe('a provider that is slow', () => {
  it('does not delay a response beyond the request timeout, and signs in no user afterwards', async () => {
    const browser = openBrowser(auth)
    const { state } = await browser.authorize({ provider: 'slow' })
    const { status, query } = await browser.sendCallback({ state, code: 'code' })
    // A request that exceeds its timeout gets 504.
    expect(status).toBe(302)
    expect(query).toMatchObject({ error: 'server_error', error_code: 'unexpected_failure' })
  })

  it('does not delay the redirect to a provider', async () => {
    const { status, body } = await auth.get('/authorize?provider=hung')
    expect([status, body.error_code]).toEqual([400, 'validation_failed'])
  })
})

describe('a provider that is down', () => {
  it('is reported at the start of a flow, as an error of the provider', async () => {
    const { status, body } = await auth.get('/authorize?provider=dead')
    expect([status, body.error_code]).toEqual([400, 'validation_failed'])
    expect(body.msg).not.toContain('127.0.0.1')
    expect(auth.log.filter(({ level }) => level === 'error')).toEqual([])
    expect(auth.log.map(({ message }) => message)).toContain('provider did not respond')
  })

  it('is reported at the callback', async () => {
    const browser = openBrowser(auth)
    const { state } = await browser.authorize({ provider: 'dead-twitter' })
    const { query } = await browser.sendCallback({ state, code: 'code' })
    expect(query['error_code']).toBe('unexpected_failure')
  })
})

describe('a database that fails', () => {
  it('between state and session is reported to the browser, and stores no rows', async () => {
    const browser = openBrowser(auth)
    const { state } = await browser.authorize({ provider: 'club' })
    const person = member()
    const code = realm.codeFor(person)
    const arrived = await whileWritesBreak(auth, () => browser.sendCallback({ state, code }))
    expect([arrived.status, arrived.query['error']]).toEqual([302, 'server_error'])
    expect(arrived.location.href).not.toMatch(/refused|Failing|row|token/)
    expect(
      await auth.rows('select 1 from auth.identities where subject = $1', [person.sub]),
    ).toEqual([])
    const again = await browser.sendCallback({ state, code })
    expect(again.query['error_code']).toBe('bad_oauth_state')
  })

  it('is used again for the next request, after its connections were terminated', async () => {
    const browser = openBrowser(auth)
    const { state } = await browser.authorize({ provider: 'club' })
    const code = realm.codeFor(member())
    await auth
      .rows(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid()`,
      )
      .catch(() => [])
    const { status, fragment, query } = await browser.sendCallback({ state, code })
    expect([302, 303]).toContain(status)
    expect(Boolean(fragment['access_token']) || Boolean(query['error'])).toBe(true)
    const next = await openBrowser(auth).authorize({ provider: 'club' })
    expect(next.state).toBeTruthy()
  })
})

describe('many at once', () => {
  it('with one code and separate states: the provider exchanges it once', async () => {
    const code = realm.codeFor(member())
    const all = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const browser = openBrowser(auth)
        const { state } = await browser.authorize({ provider: 'club' })
        return browser.sendCallback({ state, code })
      }),
    )
    expect(all.filter(({ fragment }) => fragment['access_token'])).toHaveLength(1)
    expect(all.filter(({ query }) => query['error'] === 'server_error')).toHaveLength(19)
  })
})
