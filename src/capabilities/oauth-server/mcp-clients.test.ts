import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  asOauthServer,
  claimsIn,
  codeChallenge,
  locationOf,
  oauthOf,
  verifier,
} from '../../../test/support/oauth-clients.ts'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'

// The registrations that MCP clients send: that of the MCP Inspector by its source, the others by
// reports of other servers and by public documentation. A server that rejects one of the redirect URIs rejects the client.

const common = {
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
}

const registrations = {
  'Claude Code': {
    ...common,
    client_name: 'Claude Code (notes)',
    redirect_uris: ['http://localhost:54212/callback'],
  },
  Claude: {
    ...common,
    client_name: 'Claude',
    redirect_uris: ['https://claude.ai/api/mcp/auth_callback'],
    scope: 'notes:read',
  },
  Cursor: {
    ...common,
    client_name: 'Cursor',
    redirect_uris: [
      'cursor://anysphere.cursor-mcp/oauth/callback',
      'https://www.cursor.com/agents/mcp/oauth/callback',
      'http://localhost:8787/callback',
    ],
  },
  'Visual Studio Code': {
    ...common,
    client_name: 'Visual Studio Code',
    client_uri: 'https://code.visualstudio.com',
    application_type: 'native',
    redirect_uris: [
      'https://insiders.vscode.dev/redirect',
      'https://vscode.dev/redirect',
      'http://127.0.0.1/',
      'http://localhost/',
      'http://127.0.0.1:33418/',
      'http://localhost:33418/',
    ],
  },
  'MCP Inspector': {
    ...common,
    client_name: 'MCP Inspector',
    client_uri: 'https://github.com/modelcontextprotocol/inspector',
    redirect_uris: [
      'http://localhost:6274/oauth/callback',
      'http://localhost:6274/oauth/callback/debug',
    ],
    scope: '',
  },
}

const resource = 'https://app.example.test/mcp'

let auth: TestAuth
let oauth: ReturnType<typeof oauthOf>

beforeAll(async () => {
  auth = await startTestAuth({
    ...asOauthServer,
    oauthServer: { ...asOauthServer.oauthServer, scopes: { 'notes:read': 'Read your notes' } },
  })
  oauth = oauthOf(auth)
})
afterAll(() => auth.close())

describe.each(Object.entries(registrations))('%s', (_name, registration) => {
  it('registers itself, and is redirected to each of its URIs', async () => {
    const { status, body } = await auth.post('/oauth/clients/register', registration)
    expect(status).toBe(201)
    expect(body).toMatchObject({
      client_name: registration.client_name,
      redirect_uris: registration.redirect_uris,
      token_endpoint_auth_method: 'none',
    })
    const client = { id: body.client_id, secret: null }
    const { accessToken, user } = await auth.given.session()

    for (const redirectUri of registration.redirect_uris) {
      const answer = await oauth.authorize(client, {
        redirect_uri: redirectUri,
        scope: 'notes:read',
        resource,
        code_challenge: codeChallenge,
        prompt: 'consent',
      })
      const id = locationOf(answer).searchParams.get('authorization_id') ?? ''
      await oauth.open(id, accessToken)
      const decided = await oauth.decide(id, accessToken)
      const target: string = decided.body.redirect_url
      const tokens = await oauth.form(
        '/oauth/token',
        {
          grant_type: 'authorization_code',
          code: new URL(target).searchParams.get('code') ?? '',
          redirect_uri: redirectUri,
          code_verifier: verifier,
          resource,
        },
        client,
      )

      expect(target.startsWith(`${redirectUri}?`)).toBe(true)
      expect(tokens.status).toBe(200)
      expect(claimsIn(tokens.body.access_token)).toMatchObject({
        aud: resource,
        sub: user.id,
        scope: 'notes:read',
      })
    }
  })
})

describe('a client in a browser, such as the MCP Inspector', () => {
  const page = 'http://localhost:6274'

  /** The requests of clients, with the headers that need a permission. */
  const requests = [
    ['GET', '/.well-known/oauth-authorization-server', 'mcp-protocol-version'],
    ['GET', '/.well-known/openid-configuration', 'mcp-protocol-version'],
    ['POST', '/oauth/clients/register', 'content-type'],
    ['POST', '/oauth/token', 'authorization,content-type,dpop'],
    ['GET', '/oauth/userinfo', 'authorization,dpop'],
    ['POST', '/oauth/revoke', 'authorization,content-type'],
  ] as const

  it.each(requests)('may send %s %s', async (method, path, headers) => {
    const preflight = await auth.request('OPTIONS', path, {
      headers: {
        origin: page,
        'access-control-request-method': method,
        'access-control-request-headers': headers,
      },
    })
    const answer = await auth.request(method, path, {
      headers: { origin: page },
      ...(method === 'POST' && { body: {} }),
    })

    expect([200, 204]).toContain(preflight.status)
    const allowed = preflight.headers.get('access-control-allow-headers')?.toLowerCase() ?? ''
    const isAllowed = (name: string) => allowed === '*' || allowed.split(/,\s*/).includes(name)
    expect(headers.split(',').filter((name) => !isAllowed(name))).toEqual([])
    for (const { headers: sent } of [preflight, answer])
      expect(['*', page]).toContain(sent.get('access-control-allow-origin'))
  })
})
