import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { importCustomProviders } from '../src/capabilities/custom-providers/import-custom-providers.ts'
import { importOauthServer } from '../src/capabilities/oauth-server/import-oauth-server.ts'
import type { PartSource } from '../src/import/gotrue/import-part.ts'
import type { TestDatabase } from './support/database.ts'
import { importFrom } from './support/gotrue/import-from.ts'
import { createSourceDatabase } from './support/gotrue/source-database.ts'
import { asOauthServer, oauthOf } from './support/oauth-clients.ts'
import { startTestAuth, type TestAuth } from './support/test-auth.ts'

const parts = [importOauthServer, importCustomProviders]
const userId = (number: string) => `a0000000-0000-4000-8000-0000000000${number}`
const clientId = (number: string) => `0c000000-0000-4000-8000-0000000000${number}`

let source: TestDatabase
let auth: TestAuth
let report: Awaited<ReturnType<typeof importFrom>>

beforeAll(async () => {
  source = await createSourceDatabase('layout.sql', 'people.sql')
  auth = await startTestAuth(asOauthServer)
  report = await importFrom(source.url, auth, { parts })
})
afterAll(async () => {
  await auth?.close()
  await source?.drop()
})

const admin = async (path: string) =>
  (await auth.get(path, { token: await auth.given.serviceToken() })).body

const asAda = async () => {
  const credentials = { email: 'ada@example.test', password: 'correct horse' }
  const { body } = await auth.post('/token?grant_type=password', credentials)
  return body.access_token as string
}

describe('an import of OAuth clients and consents', () => {
  it('reports what it added, and what it did not', () => {
    expect(report.applications).toEqual({ oauthClients: 2, oauthConsents: 2, customProviders: 2 })
    expect(report.losses).toMatchObject({
      'OAuth client: redirect_uris not permitted': 1,
      'OAuth consent: client not imported': 1,
    })
    expect(report.reportedLosses).toContainEqual({
      userId: null,
      what: 'OAuth client',
      id: clientId('05'),
      reason: 'redirect_uris not permitted',
    })
  })

  it('keeps ids, metadata and secrets of clients that are in use', async () => {
    const { clients } = await admin('/admin/oauth/clients')

    expect(clients.map(({ client_id }: { client_id: string }) => client_id)).toEqual([
      clientId('02'),
      clientId('01'),
    ])
    expect(clients[1]).toMatchObject({
      client_name: 'A client',
      client_type: 'confidential',
      registration_type: 'manual',
      token_endpoint_auth_method: 'client_secret_post',
      redirect_uris: ['https://client.example.test/cb', 'https://client.example.test/a,b'],
      grant_types: ['authorization_code', 'refresh_token'],
      created_at: '2025-06-01T10:00:00.123Z',
    })
    const introspect = (secret: string) =>
      auth.request('POST', '/oauth/introspect', {
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({
          client_id: clientId('01'),
          client_secret: secret,
          token: 'any',
        }).toString(),
      })
    expect((await introspect('a secret of the client')).body).toEqual({ active: false })
    expect((await introspect('another secret')).body).toMatchObject({ error: 'invalid_client' })
  })

  it('keeps the consents of users, so that they need not decide again', async () => {
    // Consent requires the second factor of a user who has one.
    await auth.rows('delete from auth.factors where user_id = $1', [userId('01')])
    const token = await asAda()
    const grants = await auth.get('/user/oauth/grants', { token })
    const client = { id: clientId('01'), secret: null }
    const parameters = { scope: 'email', redirect_uri: 'https://client.example.test/cb' }
    const id = await oauthOf(auth).begin(client, parameters)
    const opened = await auth.get(`/oauth/authorizations/${id}`, { token })

    expect(grants.body.map(({ scopes }: { scopes: string[] }) => scopes)).toEqual(
      expect.arrayContaining([['openid', 'email'], ['email']]),
    )
    expect(opened.body).toEqual({
      redirect_url: expect.stringMatching(/^https:\/\/client\.example\.test\/cb\?code=/),
    })
    expect(
      await auth.rows('select from auth.oauth_consents where user_id = $1', [userId('02')]),
    ).toHaveLength(0)
  })

  it('restores no consent that a user revoked since, and changes no client', async () => {
    const token = await asAda()
    const client = clientId('01')
    await auth.request('DELETE', `/user/oauth/grants?client_id=${client}`, { token })
    await auth.rows(`update auth.oauth_clients set client_name = 'Renamed' where id = $1`, [client])

    const { applications } = await importFrom(source.url, auth, { parts })
    const [renamed] = await auth.rows('select client_name from auth.oauth_clients where id = $1', [
      client,
    ])

    expect(applications).toEqual({ oauthClients: 0, oauthConsents: 0, customProviders: 0 })
    expect(renamed).toEqual({ client_name: 'Renamed' })
    expect((await auth.get('/user/oauth/grants', { token: await asAda() })).body).toHaveLength(1)
  })

  it('counts in a dry run, and stores nothing', async () => {
    const target = await startTestAuth(asOauthServer)
    const { applications } = await importFrom(source.url, target, { parts, dryRun: true })

    expect(applications).toEqual(report.applications)
    expect(await target.rows('select from auth.oauth_clients')).toEqual([])
    expect(await target.rows('select from auth.custom_providers')).toEqual([])
    await target.close()
  })

  it('reads older layouts, which have no such tables', async () => {
    const older = await createSourceDatabase('older-layout.sql')
    const target = await startTestAuth(asOauthServer)
    const { applications } = await importFrom(older.url, target, { parts })

    expect(applications).toEqual({ oauthClients: 0, oauthConsents: 0, customProviders: 0 })
    await target.close()
    await older.drop()
  })
})

describe('an import of custom providers', () => {
  it('keeps their settings, and seals their secrets', async () => {
    const { providers } = await admin('/admin/custom-providers')
    providers.sort((a: { identifier: string }, b: { identifier: string }) =>
      a.identifier.localeCompare(b.identifier),
    )
    const stored = await auth.rows('select sealed_client_secret from auth.custom_providers')

    expect(providers).toMatchObject([
      {
        identifier: 'custom:club',
        provider_type: 'oauth2',
        client_id: 'club-client',
        scopes: ['profile'],
        attribute_mapping: { full_name: 'display_name' },
      },
      {
        identifier: 'custom:sso',
        provider_type: 'oidc',
        scopes: ['openid'],
        issuer: 'https://93.184.216.34',
        discovery_document: { jwks_uri: 'https://93.184.216.34/keys' },
      },
    ])
    expect(JSON.stringify(stored)).not.toMatch(/club-secret|sso-secret/)
    expect(report.losses).toMatchObject({
      'custom provider: authorization_url not permitted': 1,
    })
  })

  it('sends users to an imported provider', async () => {
    const { status, headers } = await auth.get('/authorize?provider=custom:club')

    expect(status).toBe(302)
    expect(headers.get('location')).toMatch(/^https:\/\/93\.184\.216\.34\/authorize\?/)
  })
})

describe('a repeated import', () => {
  it('adds no client and no provider that was deleted here', async () => {
    const token = await auth.given.serviceToken()
    const { providers } = await admin('/admin/custom-providers')
    const paths = [
      `/admin/oauth/clients/${clientId('02')}`,
      `/admin/custom-providers/${providers[0].identifier}`,
    ]
    for (const path of paths) {
      expect((await auth.request('DELETE', path, { token })).status).toBeLessThan(300)
    }

    const repeated = await importFrom(source.url, auth, { parts })

    expect(repeated.applications).toMatchObject({ oauthClients: 0, customProviders: 0 })
    for (const path of paths) expect((await auth.get(path, { token })).status).toBe(404)
  })

  it('adds no consent of a user that the source returns beside the imported ones', async () => {
    const consent = { id: '1', user_id: userId('99'), client_id: clientId('01'), scopes: 'openid' }
    const hostile = {
      connection: { query: async () => [{ consent }] },
      layout: { has: () => true, table: (name: string) => name },
    } as unknown as PartSource

    const added = await importOauthServer.ofUsers?.({} as never, hostile, [userId('01')])

    expect(added).toEqual({ added: { oauthConsents: 0 }, losses: [] })
  })
})
