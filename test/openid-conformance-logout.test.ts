import { createPublicKey, verify } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { claimsIn, headerOf } from './support/oauth-clients.ts'
import {
  type Conformance,
  callback,
  issuer,
  type Registered,
  startConformance,
} from './support/openid-conformance.ts'
import { answering, startWebServer, type WebServer } from './support/web-server.ts'

// The checks of the plans "RP-Initiated Logout" and "Back-Channel Logout" for providers in OpenID's
// conformance suite, each by the name of its module.

const back = 'https://client.example.test/signed-out'
let suite: Conformance
let receiver: WebServer

beforeAll(async () => {
  suite = await startConformance()
  receiver = await startWebServer(answering(200))
})
afterEach(() => {
  receiver.heard.length = 0
})
afterAll(async () => {
  await suite?.auth.close()
  await receiver?.close()
})

async function signedIn(given?: Registered) {
  const client = given ?? (await suite.register({ post_logout_redirect_uris: [back] }))
  const verified = await suite.signIn(client, await suite.user())
  const hint = verified.tokens.id_token ?? ''
  const leave = async (parameters: Record<string, string>) => {
    const url = `/auth/oauth/logout?${new URLSearchParams(parameters)}`
    const { status, headers } = await suite.auth.get(url)
    return { status, location: headers.get('location') }
  }
  /** Whether the client still has access. */
  const isAlive = () =>
    suite.userinfo(client, verified).then(
      () => true,
      () => false,
    )
  return { hint, leave, isAlive, client, ...verified }
}

describe('oidcc-rp-initiated-logout-certification-test-plan', () => {
  it('oidcc-rp-initiated-logout-discovery-endpoint-verification', () => {
    expect(suite.server.end_session_endpoint).toBe(`${issuer}/oauth/logout`)
  })

  it.each([
    ['oidcc-rp-initiated-logout', { state: 'a b&c' }, `${back}?state=a+b%26c`],
    ['oidcc-rp-initiated-logout-no-state', {}, back],
  ])('%s', async (_, parameters, expected) => {
    const { hint, leave, isAlive } = await signedIn()

    const left = await leave({
      id_token_hint: hint,
      post_logout_redirect_uri: back,
      ...parameters,
    } as Record<string, string>)

    expect([left, await isAlive()]).toEqual([{ status: 302, location: expected }, false])
  })

  it('oidcc-rp-initiated-logout-no-post-logout-redirect-uri', async () => {
    const { hint, leave, isAlive } = await signedIn()

    const left = await leave({ id_token_hint: hint })

    expect([left, await isAlive()]).toEqual([{ status: 200, location: null }, false])
  })

  // Specification 8 §7: without a valid hint, or with another URL, no redirect and no session ends.
  it.each([
    ['oidcc-rp-initiated-logout-bad-post-logout-redirect-uri', 'https://evil.test/', 'valid'],
    ['oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri', `${back}?a=b`, 'valid'],
    ['oidcc-rp-initiated-logout-modified-id-token-hint', back, 'modified'],
    ['oidcc-rp-initiated-logout-bad-id-token-hint', back, 'of another signer'],
    ['oidcc-rp-initiated-logout-no-id-token-hint', back, 'absent'],
    ['oidcc-rp-initiated-logout-only-state', null, 'absent'],
    ['oidcc-rp-initiated-logout-no-params', null, 'no parameters'],
  ])('%s', async (_, target, kind) => {
    const { hint, leave, isAlive, client } = await signedIn()
    const [header = '', payload = '', signature = ''] = hint.split('.')
    const changed = { ...claimsIn(hint), sub: 'other' }
    const hints: Record<string, string | undefined> = {
      valid: hint,
      modified: `${header}.${Buffer.from(JSON.stringify(changed)).toString('base64url')}.${signature}`,
      'of another signer': `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`,
    }
    const used = hints[kind]
    const left = await leave({
      ...(used !== undefined && { id_token_hint: used }),
      ...(target !== null && { post_logout_redirect_uri: target, client_id: client.client_id }),
      ...(kind !== 'no parameters' && { state: 'x' }),
    })

    expect([left, await isAlive()]).toEqual([{ status: 400, location: null }, true])
  })
})

describe('oidcc-backchannel-rp-initiated-logout-certification-test-plan', () => {
  it('oidcc-backchannel-logout-discovery-endpoint-verification', () => {
    expect(suite.server).toMatchObject({
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
    })
  })

  it('oidcc-backchannel-rp-initiated-logout', async () => {
    const { auth } = suite
    const { body } = await auth.post(
      '/auth/admin/oauth/clients',
      {
        redirect_uris: [callback],
        post_logout_redirect_uris: [back],
        backchannel_logout_uri: `${receiver.url}/logout`,
        backchannel_logout_session_required: true,
      },
      { token: await auth.given.serviceToken() },
    )
    const { hint, leave, claims } = await signedIn(body as Registered)

    await leave({ id_token_hint: hint, post_logout_redirect_uri: back })
    await (await auth.deps()).outbox.settled()

    expect(receiver.heard).toMatchObject([
      {
        method: 'POST',
        path: '/logout',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      },
    ])
    const form = new URLSearchParams(receiver.heard[0]?.text)
    const token = form.get('logout_token') ?? ''
    expect([...form.keys()]).toEqual(['logout_token'])
    const received = claimsIn(token)
    expect(received).toMatchObject({
      iss: issuer,
      aud: body.client_id,
      sub: claims.sub,
      sid: claims['sid'],
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    })
    expect(received['jti']).toMatch(/./)
    expect(received['nonce']).toBeUndefined()
    expect(Number(received['exp'])).toBeGreaterThan(Number(received['iat']))
    const { body: jwks } = await auth.get('/auth/.well-known/jwks.json')
    const key = createPublicKey({ key: jwks.keys[0], format: 'jwk' })
    const [header, payload, signature = ''] = token.split('.')
    const signed = Buffer.from(`${header}.${payload}`)
    expect(headerOf(token)).toMatchObject({ kid: jwks.keys[0].kid, alg: 'ES256' })
    expect(
      verify(
        'sha256',
        signed,
        { key, dsaEncoding: 'ieee-p1363' },
        Buffer.from(signature, 'base64url'),
      ),
    ).toBe(true)
  })
})
