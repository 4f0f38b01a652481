import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toNode } from '../src/hosts/adapters/node.ts'
import type { ProtectedResource } from '../src/index.ts'
import { asOauthServer, oauthOf } from './support/oauth-clients.ts'
import { freePort } from './support/server-process.ts'
import { spawnExample } from './support/spawn-example.ts'
import { startTestAuth, type TestAuth } from './support/test-auth.ts'

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'

let auth: TestAuth
let url: string
let invoices: ProtectedResource
let server: Server
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'latchkey-oauth-examples-'))
  url = `http://127.0.0.1:${await freePort()}`
  auth = await startTestAuth({
    ...asOauthServer,
    externalUrl: url,
    jwt: { ...asOauthServer.jwt, issuer: url },
    oauthServer: {
      ...asOauthServer.oauthServer,
      deviceFlow: { enabled: true },
      clientCredentials: { enabled: true },
      scopes: { 'invoice:read': 'See your invoices' },
    },
  })
  invoices = auth.auth.protectedResource({ resource: `${url}/invoices`, scopes: ['invoice:read'] })
  const handle = toNode(auth.auth)
  server = createServer(async (request, response) => {
    if (request.url !== '/invoices') return void handle(request, response)
    const access = await invoices.verify(request)
    response.end(`the invoices of ${access.clientId}`)
  }).listen(Number(new URL(url).port), '127.0.0.1')
})
afterAll(async () => {
  server?.close()
  await auth?.close()
  rmSync(folder, { recursive: true, force: true })
})

describe('the example', () => {
  it('device-login.ts signs a user in who enters its code elsewhere', async () => {
    const client = await oauthOf(auth).client({
      client_type: 'public',
      grant_types: [deviceGrant],
      redirect_uris: [],
    })
    const { accessToken: token, user } = await auth.given.session()
    const running = spawnExample('device-login.ts', {
      cwd: folder,
      env: { ISSUER: url, CLIENT_ID: client.id },
    })
    const [, code = ''] = await running.printed(/enter (\S+)/)
    const opened = await auth.get(`/oauth/device?user_code=${code}`, { token })
    await oauthOf(auth).decide(opened.body.authorization_id, token)
    const ending = await running.ended

    expect(running.output()).toContain(`Signed in as ${user.email}`)
    expect(ending.code).toBe(0)
  })

  it('machine-token.ts calls an API with a token of its own', async () => {
    const client = await oauthOf(auth).client({
      grant_types: ['client_credentials'],
      redirect_uris: [],
      allowed_scopes: ['invoice:read'],
    })
    const env = { ISSUER: url, CLIENT_ID: client.id, API: `${url}/invoices` }
    const running = spawnExample('machine-token.ts', {
      cwd: folder,
      env: { ...env, CLIENT_SECRET: client.secret ?? '' },
    })
    const rejected = spawnExample('machine-token.ts', {
      cwd: folder,
      env: { ...env, CLIENT_SECRET: 'another' },
    })
    const endings = [await running.ended, await rejected.ended]

    expect(running.output()).toBe(`the invoices of ${client.id}\n`)
    expect(rejected.output()).toContain('invalid_client')
    expect(endings.map(({ code }) => code)).toEqual([0, 1])
  })
})
