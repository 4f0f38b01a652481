import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  asOauthServer,
  callback,
  locationOf,
  oauthOf,
} from '../../../../test/support/oauth-clients.ts'
import { startTestAuth, type TestAuth } from '../../../../test/support/test-auth.ts'
import { trustCertificate } from '../../../../test/support/trust-certificate.ts'
import { clientDocumentsOf } from './client-documents.ts'
import { maxUnusedClients } from './clients.sql.ts'
import { requireDocumentClient } from './metadata-document.ts'

const certificate = (name: string): string =>
  readFileSync(new URL(`../../../../test/support/certificate/${name}`, import.meta.url), 'utf8')

let server: Server
let host: string
let auth: TestAuth
let oauth: ReturnType<typeof oauthOf>
let trust: Disposable
let requests = 0
/** Further members of the documents, each of which is at its own URL. */
let further: Record<string, unknown> = {}

beforeAll(async () => {
  trust = trustCertificate(certificate('localhost.pem'))
  const files = { key: certificate('localhost.key.pem'), cert: certificate('localhost.pem') }
  server = createServer(files, ({ url }, response) => {
    requests += 1
    const document = {
      client_id: `https://${host}${url}`,
      client_name: 'Document',
      redirect_uris: [callback],
      ...further,
    }
    response.setHeader('content-type', 'application/json').end(JSON.stringify(document))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  host = `localhost:${(server.address() as AddressInfo).port}`
  auth = await startTestAuth({
    ...asOauthServer,
    rateLimits: { tokenRefresh: 'off', oauthDynamicClientRegister: 'off' },
    oauthServer: {
      ...asOauthServer.oauthServer,
      clientIdMetadataDocuments: { enabled: true, trustedHosts: [host] },
    },
  })
  oauth = oauthOf(auth)
})
afterAll(async () => {
  await auth?.close()
  trust[Symbol.dispose]()
  server.closeAllConnections()
  server.close()
})

const begin = (path: string) => oauth.authorize({ id: `https://${host}${path}` })

describe('the client of a metadata document', () => {
  it('starts an authorization, and is read again only when its copy has expired', async () => {
    const before = requests
    const answers = [await begin('/client'), await begin('/client')]

    for (const answer of answers) {
      expect(locationOf(answer).searchParams.get('authorization_id')).toMatch(/^[0-9a-f]{32}$/)
    }
    expect(requests - before).toBe(1)
  })

  it('is kept without members that are not read, and rejected with too many that are (S69)', async () => {
    further = { unread: 'x'.repeat(200_000), keys: [{ kty: 'EC' }] }
    const url = `https://${host}/nested`
    const document = await clientDocumentsOf(await auth.deps()).read(auth.clock, url)
    further = { jwks: { keys: ['x'.repeat(200_000)] } }
    const { status, body } = await begin('/large')
    further = {}

    expect(Object.keys(document)).toEqual(['client_id', 'client_name', 'redirect_uris', 'keys'])
    expect([status, body.error_code]).toEqual([400, 'oauth_client_not_found'])
  })

  it.each([
    ['values', { unread: Array.from({ length: 5_000 }, () => 0) }],
    ['members', Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`m${index}`, 0]))],
    ['bytes', { unread: 'x'.repeat(300_000) }],
  ])('is rejected before it is parsed where it has too many %s (S147)', async (what, members) => {
    further = members
    const { status, body } = await begin(`/many-${what}`)
    further = {}

    expect([status, body.error_code]).toEqual([400, 'oauth_client_not_found'])
  })

  it('keeps the later version that another instance has stored (S148)', async () => {
    const id = `https://${host}/later`
    await begin('/later')
    const later = auth.clock.now().getTime() + 1000
    await auth.rows(
      'update auth.oauth_clients set client_name = $2, updated_at = $3 where id = $1 returning id',
      [id, 'Later', new Date(later).toISOString()],
    )
    auth.clock.advance(2)
    const { database, ...deps } = await auth.deps()
    const client = await requireDocumentClient({ ...deps, sql: database.sql }, id)

    expect(client.clientName).toBe('Later')
  })

  it('is read again where copies of others need the memory (S69)', async () => {
    await begin('/first')
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const jwk = publicKey.export({ format: 'jwk' })
    further = { jwks: { keys: [{ ...jwk, x5c: 'x'.repeat(125_000) }] } }
    for (let count = 0; count < 70; count += 1) await begin(`/other/${count}`)
    further = {}
    const before = requests
    await begin('/other/69')
    await begin('/first')

    expect(requests - before).toBe(1)
  })

  it('is stored for two days after its last request, while no user grants it access', async () => {
    const id = `https://${host}/kept`
    const stored = () =>
      auth.rows('select expires_at from auth.oauth_clients where id = $1 and expires_at > $2', [
        id,
        auth.clock.now().toISOString(),
      ])
    await begin('/kept')
    auth.clock.advance(40 * 60 * 60)
    await begin('/kept')
    auth.clock.advance(40 * 60 * 60)
    expect(await stored()).toHaveLength(1)
    auth.clock.advance(10 * 60 * 60)
    expect(await stored()).toHaveLength(0)
  })

  it('replaces the oldest of too many that no user uses, and no client that registered itself (S70)', async () => {
    const { body } = await auth.post('/oauth/clients/register', { redirect_uris: [callback] })
    await begin('/used')
    await auth.rows(
      `insert into auth.oauth_clients select (jsonb_populate_record(c, jsonb_build_object(
          'id', c.id || '/' || n, 'expires_at', c.expires_at + n * interval '1 ms'))).*
        from auth.oauth_clients c, generate_series(1, $1::int) n where c.id like '%/used'`,
      [maxUnusedClients - 60],
    )
    const { database, ...deps } = await auth.deps()
    const store = (hex: string) =>
      requireDocumentClient(
        { ...deps, sql: database.sql, random: { ...deps.random, hex: () => hex } },
        `https://${host}/last`,
      )
    const count = async (type: string) =>
      (await auth.rows('select id from auth.oauth_clients where registration_type = $1', [type]))
        .length

    await store('ff')
    const before = await count('document')
    await store('00')
    expect([before > maxUnusedClients, await count('document')]).toEqual([true, maxUnusedClients])
    expect(await count('dynamic')).toBe(1)
    expect((await oauth.authorize({ id: body.client_id })).status).toBe(302)
  })
})
