import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  asOauthServer,
  callback,
  codeChallenge,
  type GivenClient,
  locationOf,
  oauthOf,
  verifier,
} from '../../../test/support/oauth-clients.ts'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'

// Attacks of RFC 9700 §4 that no other file tests: docs/security.md lists all of them.

const issuer = 'https://auth.example.test'
let auth: TestAuth
let oauth: ReturnType<typeof oauthOf>

beforeAll(async () => {
  auth = await startTestAuth(asOauthServer)
  oauth = oauthOf(auth)
})
afterAll(() => auth.close())

const isAlive = async (token: string) => (await auth.get('/oauth/userinfo', { token })).status

describe('credentials in the history of a browser (RFC 9700 §4.3)', () => {
  it('are no access tokens: one in a query is not read', async () => {
    const { accessToken } = await auth.given.session()
    const { access_token: token } = await oauth.tokens(await oauth.client(), accessToken)

    const answer = await auth.get(`/oauth/userinfo?access_token=${token}`)

    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    expect(await isAlive(token)).toBe(200)
  })
})

describe('a mix-up of two services (RFC 9700 §4.4)', () => {
  it('is noticed by the issuer in each response: a code, a denial, an error, a silent one', async () => {
    const client = await oauth.client()
    const { accessToken } = await auth.given.session()
    const decided = async (action: string) => {
      const id = await oauth.begin(client, { prompt: 'consent' })
      await oauth.open(id, accessToken)
      return new URL((await oauth.decide(id, accessToken, { action })).body.redirect_url)
    }
    const bob = await auth.given.session()
    const silent = await oauth.open(await oauth.begin(client, { prompt: 'none' }), bob.accessToken)
    const responses = [
      await decided('approve'),
      await decided('deny'),
      locationOf(await oauth.authorize(client, { scope: 'unknown' })),
      new URL(silent.body.redirect_url),
    ]

    expect(responses.map(({ searchParams }) => searchParams.get('error'))).toEqual([
      null,
      'access_denied',
      'invalid_scope',
      'consent_required',
    ])
    expect(responses.map(({ searchParams }) => searchParams.getAll('iss'))).toEqual(
      responses.map(() => [issuer]),
    )
    const { body } = await auth.get('/.well-known/openid-configuration')
    expect(body.authorization_response_iss_parameter_supported).toBe(true)
  })
})

describe('an injected code (RFC 9700 §4.5)', () => {
  it('is rejected in the sign-in of another browser, client or redirect URI', async () => {
    const metadata = { redirect_uris: [callback, `${callback}2`] }
    const [client, other] = [await oauth.client(metadata), await oauth.client(metadata)]
    const { accessToken } = await auth.given.session()
    const code = await oauth.code(client, accessToken)
    const errorOf = async (by: GivenClient, fields: Record<string, string>) =>
      (await oauth.exchange(by, code, fields)).body.error

    expect(await errorOf(client, { code_verifier: 'x'.repeat(43) })).toBe('invalid_grant')
    expect(await errorOf(client, { redirect_uri: `${callback}2` })).toBe('invalid_grant')
    expect(await errorOf(other, {})).toBe('invalid_grant')
    // The attacker has not ended the sign-in of the user.
    expect((await oauth.exchange(client, code)).status).toBe(200)
  })
})

describe('a redirect URI that was removed after the user opened the request (RFC 9700 §4.1)', () => {
  it('receives no code, and no denial', async () => {
    const client = await oauth.client({ redirect_uris: [callback, `${callback}2`] })
    const { accessToken } = await auth.given.session()
    const open = async () => {
      const id = await oauth.begin(client, { redirect_uri: `${callback}2`, prompt: 'consent' })
      await oauth.open(id, accessToken)
      return id
    }
    const [approved, denied] = [await open(), await open()]
    const token = await auth.given.serviceToken()
    await auth.put(`/admin/oauth/clients/${client.id}`, { redirect_uris: [callback] }, { token })

    const approval = await oauth.decide(approved, accessToken)
    const denial = await oauth.decide(denied, accessToken, { action: 'deny' })

    expect([approval.status, denial.status]).toEqual([404, 404])
    expect([approval.body.redirect_url, denial.body.redirect_url]).toEqual([undefined, undefined])
  })
})

describe('an injected access token (RFC 9700 §4.6)', () => {
  it.each(['token', 'id_token', 'id_token token', 'code token', 'code id_token', 'none'])(
    'needs a token in a redirect: the response type %s is rejected',
    async (responseType) => {
      const target = locationOf(
        await oauth.authorize(await oauth.client(), { response_type: responseType }),
      )

      expect(target.searchParams.get('error')).toBe('unsupported_response_type')
      expect(`${target.search}${target.hash}`).not.toContain('token=')
    },
  )
})

describe('a downgrade of PKCE (RFC 9700 §4.8)', () => {
  it.each([
    ['without a code challenge', { code_challenge: '', code_challenge_method: '' }],
    ['with the method plain', { code_challenge_method: 'plain' }],
    ['without a method, which would be plain', { code_challenge_method: '' }],
    ['with a short code challenge', { code_challenge: 'short' }],
  ])('is rejected: a request %s', async (_, parameters) => {
    const client = await oauth.client()
    const pushed = await oauth.form(
      '/oauth/par',
      {
        redirect_uri: callback,
        code_challenge: codeChallenge,
        code_challenge_method: 'S256',
        ...parameters,
      },
      client,
    )
    const target = locationOf(await oauth.authorize(client, parameters))

    expect(target.searchParams.get('error')).toBe('invalid_request')
    expect([pushed.status, pushed.body.error]).toEqual([400, 'invalid_request'])
  })

  it('is rejected: an exchange without the verifier, or with the challenge in its place', async () => {
    const client = await oauth.client()
    const { accessToken } = await auth.given.session()
    const code = await oauth.code(client, accessToken)

    for (const given of ['', codeChallenge, verifier.toUpperCase()]) {
      const { body } = await oauth.exchange(client, code, { code_verifier: given })
      expect([given, body.error]).toEqual([given, 'invalid_grant'])
    }
  })

  it('is rejected: a challenge of a verifier that no client may have, such as an empty one', async () => {
    const client = await oauth.client()
    const { accessToken } = await auth.given.session()
    for (const weak of ['', 'x'.repeat(42), 'x'.repeat(129), `${'x'.repeat(43)} `]) {
      const challenge = createHash('sha256').update(weak).digest('base64url')
      const code = await oauth.code(client, accessToken, { code_challenge: challenge })
      const { body } = await oauth.exchange(client, code, { code_verifier: weak })
      expect([weak, body.error]).toEqual([weak, 'invalid_grant'])
    }
  })
})

describe('an open redirector (RFC 9700 §4.11)', () => {
  it('is no endpoint: a URI that is not registered receives no browser', async () => {
    const back = 'https://client.example.test/signed-out'
    const client = await oauth.client({ post_logout_redirect_uris: [back] })
    const { accessToken } = await auth.given.session()
    const { id_token: hint = '' } = await oauth.tokens(client, accessToken, { scope: 'openid' })
    const evil = 'https://evil.example.test/cb'
    const leave = (parameters: Record<string, string>) =>
      auth.get(`/oauth/logout?${new URLSearchParams(parameters)}`)
    const answers = [
      await oauth.authorize(client, { redirect_uri: evil }),
      await oauth.authorize(client, { redirect_uri: evil, prompt: 'none', scope: 'unknown' }),
      await oauth.authorize({ id: 'unknown' }, { redirect_uri: callback }),
      await oauth.authorize(client, { redirect_uri: `${callback}@evil.example.test` }),
      await auth.get(
        `/oauth/authorize?client_id=${client.id}&redirect_uri=${callback}&redirect_uri=${evil}`,
      ),
      await leave({ id_token_hint: hint, post_logout_redirect_uri: evil }),
      await leave({ post_logout_redirect_uri: back, client_id: client.id }),
    ]

    expect(answers.map(({ status, headers }) => [status, headers.get('location')])).toEqual(
      answers.map(() => [400, null]),
    )
  })
})

describe('a redirect after a form (RFC 9700 §4.12)', () => {
  it('does not repeat the form at the client', async () => {
    const back = 'https://client.example.test/signed-out'
    const client = await oauth.client({ post_logout_redirect_uris: [back] })
    const { accessToken } = await auth.given.session()
    const { id_token: hint } = await oauth.tokens(client, accessToken, { scope: 'openid' })
    const request = {
      client_id: client.id,
      redirect_uri: callback,
      code_challenge: codeChallenge,
      code_challenge_method: 'S256',
    }
    const answers = [
      await oauth.form('/oauth/authorize', request),
      await oauth.form('/oauth/authorize', { ...request, scope: 'unknown' }),
      await oauth.form('/oauth/logout', { id_token_hint: hint, post_logout_redirect_uri: back }),
    ]

    // 307 and 308 repeat it.
    expect(answers.map(({ status }) => status)).toEqual([302, 302, 302])
  })
})

describe('a proxy that passes headers of clients on (RFC 9700 §4.13)', () => {
  it('changes neither the metadata nor the issuer', async () => {
    const headers = {
      host: 'evil.test',
      forwarded: 'host=evil.test;proto=http',
      'x-forwarded-host': 'evil.test',
      'x-forwarded-proto': 'http',
    }

    const { body } = await auth.get('/.well-known/openid-configuration', { headers })

    expect(body.issuer).toBe(issuer)
    expect(JSON.stringify(body)).not.toContain('evil.test')
    expect(JSON.stringify(body)).not.toContain('"http://')
  })
})

describe('a stolen refresh token (RFC 9700 §4.14)', () => {
  it('returns the same successor within the reuse interval, whose use by both ends the session', async () => {
    const client = await oauth.client()
    const { accessToken } = await auth.given.session()
    const first = await oauth.tokens(client, accessToken)
    const { body: ofClient } = await oauth.refresh(client, first.refresh_token)
    auth.clock.advance(9)
    const { body: ofAttacker } = await oauth.refresh(client, first.refresh_token)
    const used = await oauth.refresh(client, ofClient.refresh_token)
    auth.clock.advance(11)
    const replayed = await oauth.refresh(client, ofAttacker.refresh_token)

    expect(ofAttacker.refresh_token).toBe(ofClient.refresh_token)
    expect([used.status, replayed.body.error]).toEqual([200, 'invalid_grant'])
    expect(await isAlive(used.body.access_token)).toBe(401)
  })

  it.each(['client_secret_basic', 'none'])(
    'that is used after its successor ends the session: %s',
    async (method) => {
      const client = await oauth.client({ token_endpoint_auth_method: method })
      const { accessToken } = await auth.given.session()
      const first = await oauth.tokens(client, accessToken)
      const second = await oauth.refresh(client, first.refresh_token)
      const third = await oauth.refresh(client, second.body.refresh_token)
      auth.clock.advance(60)

      const replayed = await oauth.refresh(client, first.refresh_token)
      const successor = await oauth.refresh(client, third.body.refresh_token)

      expect([third.status, replayed.body.error, successor.body.error]).toEqual([
        200,
        'invalid_grant',
        'invalid_grant',
      ])
      expect(await isAlive(third.body.access_token)).toBe(401)
      expect((await auth.get('/user', { token: accessToken })).status).toBe(200)
    },
  )
})

describe('a client that impersonates a user (RFC 9700 §4.15)', () => {
  it('cannot choose its id, which would be the subject of its own tokens', async () => {
    const { user } = await auth.given.session()
    const metadata = { redirect_uris: [callback], client_id: user.id, sub: user.id }

    const registered = await auth.post('/oauth/clients/register', metadata)
    const created = await oauth.client({ client_id: user.id })

    expect(registered.status).toBe(201)
    expect(registered.body.client_id).not.toBe(user.id)
    expect(created.id).not.toBe(user.id)
  })
})

describe('messages between windows (RFC 9700 §4.17)', () => {
  it.each(['web_message', 'fragment', 'form_post', 'query.jwt'])(
    'are not used: the response mode %s is rejected',
    async (mode) => {
      const target = locationOf(
        await oauth.authorize(await oauth.client(), { response_mode: mode }),
      )

      expect(target.searchParams.get('error')).toBe('invalid_request')
    },
  )
})

describe('an impostor on the device of a user (RFC 8252 §8.6)', () => {
  it.each([
    ...['com.example.app:/callback', 'http://127.0.0.1/cb', 'http://localhost/cb'],
    // Other spellings of the same hosts.
    ...['HTTP://127.0.0.1/cb', 'http://LOCALHOST/cb', 'http://127.1/cb', 'http://2130706433/cb'],
    ...['http://0177.0.0.1/cb', 'http://[0:0:0:0:0:0:0:1]/cb'],
  ])('gets no code of an earlier consent at %s, neither by a page nor without one', async (uri) => {
    const client = await oauth.client({
      redirect_uris: [uri],
      token_endpoint_auth_method: 'none',
    })
    const { accessToken } = await auth.given.session()
    const code = await oauth.code(client, accessToken, { redirect_uri: uri })
    const exchanged = await oauth.exchange(client, code, { redirect_uri: uri })

    const again = await oauth.open(await oauth.begin(client, { redirect_uri: uri }), accessToken)
    const silent = await oauth.open(
      await oauth.begin(client, { redirect_uri: uri, prompt: 'none' }),
      accessToken,
    )

    expect(exchanged.status).toBe(200)
    expect(again.body.redirect_url).toBeUndefined()
    expect(again.body.redirect_uri).toBe(uri)
    expect(silent.body.redirect_url).toContain('error=consent_required')
  })
})

describe('a redirect URI that makes an application of others open an address (RFC 8252 §7.1)', () => {
  it.each([
    'googlechromes://evil.example/cb',
    'Googlechrome://evil.example/cb',
    'microsoft-edge://evil.example/cb',
    'microsoft-edge-https://evil.example/cb',
    'x-safari-https://evil.example/cb',
    'firefox://open-url?url=https://evil.example',
    'intent://evil.example/cb',
    'android-app://com.android.chrome/https/evil.example/cb',
    'shortcuts://run-shortcut?name=x',
    'web+notes://evil.example/cb',
    'smb://evil.example/cb',
    'mailto://evil.example/cb',
    'search://evil.example/cb',
  ])('is rejected for every client: %s', async (uri) => {
    const metadata = { redirect_uris: [uri], client_name: 'Notes' }
    const token = await auth.given.serviceToken()
    const registered = await auth.post('/oauth/clients/register', metadata)
    const created = await auth.post('/admin/oauth/clients', metadata, { token })

    expect([registered.status, created.status]).toEqual([400, 400])
    expect(created.body.msg).toMatch(/cannot have the scheme/)
  })

  it.each([
    ...['applescript', 'git', 'github-mac', 'hcp', 'iina', 'jetbrains', 'mms'],
    ...['ms-settings', 'rdp', 'rtsp', 'samsunginternet', 'sftp', 'shell', 'svn', 'vlc', 'vnc'],
    ...['webcal', 'x-man-page'],
  ])('is rejected with the scheme of a program: %s', async (scheme) => {
    await expect(oauth.client({ redirect_uris: [`${scheme}://evil.example/cb`] })).rejects.toThrow(
      `cannot have the scheme ${scheme}`,
    )
  })

  it.each(['cursor', 'vscode', 'vscode-insiders'])(
    'may be that of an editor: %s',
    async (scheme) => {
      await oauth.client({ redirect_uris: [`${scheme}://vendor.extension/cb`] })
    },
  )
})

describe('S135: an error of a request to a client on a custom scheme', () => {
  const uri = 'vscode://vendor.extension/cb'
  const metadata = { redirect_uris: [uri, 'http://127.0.0.1/cb'], client_name: 'Notes' }
  const register = () => oauth.client({ ...metadata, token_endpoint_auth_method: 'none' })

  it.each([
    ['without PKCE', { code_challenge: '' }],
    ['with an unknown scope', { scope: 'unknown' }],
    ['with an unknown response type', { response_type: 'token' }],
  ])('is shown before a sign-in, and redirects to http only: %s', async (_, parameters) => {
    const client = await register()

    const shown = await oauth.authorize(client, { redirect_uri: uri, ...parameters })
    const redirected = await oauth.authorize(client, {
      redirect_uri: 'http://127.0.0.1:8123/cb',
      ...parameters,
    })

    expect([shown.status, shown.headers.get('location')]).toEqual([400, null])
    expect(locationOf(redirected).host).toBe('127.0.0.1:8123')
  })

  it('is shown to a user who did not approve the client, and sent to it after a consent', async () => {
    const client = await register()
    const { accessToken } = await auth.given.session()
    const silent = async () =>
      oauth.open(await oauth.begin(client, { redirect_uri: uri, prompt: 'none' }), accessToken)

    const first = await silent()
    const denied = await oauth.begin(client, { redirect_uri: uri })
    await oauth.open(denied, accessToken)
    const denial = await oauth.decide(denied, accessToken, { action: 'deny' })
    await oauth.code(client, accessToken, { redirect_uri: uri })

    expect([first.status, first.body.redirect_url]).toEqual([400, undefined])
    expect(denial.body.redirect_url).toContain(`${uri}?error=access_denied`)
    expect((await silent()).body.redirect_url).toContain(`${uri}?error=consent_required`)
  })
})

describe('S135: a logout that leads to a custom scheme', () => {
  it('redirects to that of an operator’s client only', async () => {
    const { accessToken } = await auth.given.session()
    const uri = 'vscode://vendor.extension/cb'
    const metadata = { redirect_uris: [callback], post_logout_redirect_uris: [uri] }
    const { rows } = auth
    const logout = async (registrationType: string) => {
      const client = await oauth.client(metadata)
      const { id_token = '' } = await oauth.tokens(client, accessToken, { scope: 'openid' })
      await rows('update auth.oauth_clients set registration_type = $1 where id = $2', [
        registrationType,
        client.id,
      ])
      const parameters = { id_token_hint: id_token, post_logout_redirect_uri: uri }
      return auth.get(`/oauth/logout?${new URLSearchParams(parameters)}`)
    }

    expect((await logout('manual')).headers.get('location')).toBe(uri)
    const { status, headers } = await logout('dynamic')
    expect([status, headers.get('location')]).toEqual([200, null])
  })
})

describe('a flood of registrations', () => {
  it('is limited for each client of the network, and stores nothing beyond it', async () => {
    const beside = await auth.beside({ rateLimits: { oauthDynamicClientRegister: 10 } })
    const register = (ip: string) =>
      beside.request('POST', '/oauth/clients/register', {
        body: { redirect_uris: [callback], client_name: 'flood' },
        ip,
      })
    const answers = await Promise.all(Array.from({ length: 40 }, () => register('198.51.100.1')))
    const other = await register('192.0.2.1')
    await beside.close()
    const rows = await auth.rows(`select id from auth.oauth_clients where client_name = 'flood'`)

    const accepted = answers.filter(({ status }) => status === 201).length
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 429]))
    // 30 at once, and 10 in five minutes.
    expect(accepted).toBe(30)
    expect([other.status, rows.length]).toEqual([201, accepted + 1])
  })
})
