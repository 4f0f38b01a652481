import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type FakeRealm,
  openBrowser,
  realmSettings,
  redirectOf,
  startFakeRealm,
} from '../../../test/support/fake-realm.ts'
import { linking } from '../../../test/support/linking.ts'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'

const codeVerifier = 'v'.repeat(50)
const challenge = {
  code_challenge: createHash('sha256').update(codeVerifier).digest('base64url'),
  code_challenge_method: 's256',
}
const ada = { sub: 'ada', email: 'ada@example.test', email_verified: true }

let realm: FakeRealm
let auth: TestAuth

beforeAll(async () => {
  realm = await startFakeRealm()
  auth = await startTestAuth({
    security: { manualLinkingEnabled: true },
    providers: { keycloak: realmSettings(realm) },
  })
})
afterAll(async () => {
  await auth.close()
  await realm.close()
})

describe('S10: a flow with a code challenge that a browser started', () => {
  it('issues no code to another browser, nor to one without a cookie', async () => {
    for (const other of [openBrowser(auth), await withOwnFlow()]) {
      const { state } = await openBrowser(auth).authorize(challenge)
      const led = await other.sendCallback({ state, code: realm.codeFor(ada) })

      expect([led.status, led.query['error_code']]).toEqual([303, 'bad_oauth_state'])
      expect([led.query['code'], led.fragment]).toEqual([undefined, {}])
    }
    expect(await auth.rows('select from auth.authorization_codes')).toEqual([])
    expect(await auth.rows('select from auth.users where email = $1', [ada.email])).toEqual([])
  })

  it('ends in a code for the browser that started it', async () => {
    const browser = openBrowser(auth)
    const { state } = await browser.authorize(challenge)
    const { query } = await browser.sendCallback({ state, code: realm.codeFor(ada) })
    const exchange = { auth_code: query['code'], code_verifier: codeVerifier }
    const { body } = await auth.post('/token?grant_type=pkce', exchange)
    expect(body.user.email).toBe(ada.email)
  })

  it('ends in a code for any browser where it was started in code', async () => {
    const { url } = await auth.auth.api.signInWithOAuth({
      provider: 'keycloak',
      codeChallenge: challenge.code_challenge,
      codeChallengeMethod: 's256',
    })
    const state = new URL(url).searchParams.get('state') ?? ''
    const { query } = await openBrowser(auth).sendCallback({ state, code: realm.codeFor(ada) })
    expect(query['code']).toBeTruthy()
  })
})

async function withOwnFlow() {
  const browser = openBrowser(auth)
  await browser.authorize(challenge)
  return browser
}

describe('S13: the text of a provider', () => {
  const forged = { error: 'Call +1 555 0100', error_description: 'Your account is locked' }
  const generic = { error: 'server_error', error_description: 'The provider returned an error' }

  it('is passed on in the browser that started the flow', async () => {
    const browser = openBrowser(auth)
    const { state } = await browser.authorize(challenge)
    const { query } = await browser.sendCallback({ state, ...forged })
    expect(query).toEqual(forged)
  })

  it.each(['another browser', 'no state', 'an unknown state'])(
    'is not passed on with %s',
    async (kind) => {
      const { state } = await openBrowser(auth).authorize(challenge)
      const other = kind === 'no state' ? {} : { state: crypto.randomUUID() }
      const { location } = await openBrowser(auth).sendCallback({
        ...(kind === 'another browser' ? { state } : other),
        ...forged,
      })
      expect(location.origin).toBe('https://app.example.test')
      expect(decodeURIComponent(location.href)).not.toMatch(/locked|555/)
    },
  )

  it('is not passed on where no browser started the flow', async () => {
    const { url } = await auth.auth.api.signInWithOAuth({
      provider: 'keycloak',
      codeChallenge: challenge.code_challenge,
      codeChallengeMethod: 's256',
    })
    const state = new URL(url).searchParams.get('state') ?? ''
    const { query } = await openBrowser(auth).sendCallback({ state, ...forged })
    expect(query).toEqual(generic)
  })

  it('is not passed on where another browser links, except the registered error', async () => {
    const { accessToken } = await auth.given.session()
    const identities = linking(auth, realm)
    const query = async (error: string) => {
      const state = await identities.startLinking(accessToken)
      const parameters = new URLSearchParams({ state, ...forged, error })
      return redirectOf(await openBrowser(auth).get(`/callback?${parameters}`)).query
    }
    expect(await query(forged.error)).toEqual(generic)
    expect(await query('access_denied')).toEqual({ ...generic, error: 'access_denied' })
  })
})
