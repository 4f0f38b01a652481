import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCli } from './support/cli-process.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'
import { environmentFor } from './support/server-process.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const enabled = {
  AUTH_OAUTH_SERVER_ENABLED: 'true',
  AUTH_OAUTH_SERVER_CLIENT_CREDENTIALS_ENABLED: 'true',
}
const clients = (...args: string[]) =>
  runCli(['clients', ...args], environmentFor(database.url, enabled))
const json = async (...args: string[]) => JSON.parse((await clients(...args, '--json')).output)

describe('latchkey clients', () => {
  it('creates, lists, shows, rotates and deletes clients', async () => {
    const uri = 'https://client.example.test/cb'
    const made = await json('create', 'Notes', '--redirect-uri', uri, '--scope', 'email')
    const shown = await json('show', made.clientId)
    const rotated = await json('rotate', made.clientId)
    const { output: line } = await clients()

    expect(made).toMatchObject({
      clientName: 'Notes',
      clientType: 'confidential',
      registrationType: 'manual',
      redirectUris: [uri],
      allowedScopes: ['email'],
      clientSecret: expect.stringMatching(/^[\w-]{43}$/),
    })
    expect(shown).not.toHaveProperty('clientSecret')
    expect(rotated.clientSecret).not.toBe(made.clientSecret)
    expect(line).toBe(`${made.clientId}\tconfidential\tmanual\t${made.createdAt}\tNotes\t${uri}\n`)
    expect((await clients('delete', made.clientId, '--yes')).code).toBe(0)
    expect(await json('list')).toEqual([])
    const { code, output } = await clients('show', made.clientId)
    expect([code, output]).toEqual([1, expect.stringContaining('OAuth client not found')])
  })

  it.each([
    [['create'], 2, 'the name is missing'],
    [['show'], 2, 'which client?'],
    [['remove'], 2, 'unknown: clients remove'],
    [['create', 'a'], 2, 'clients create: --redirect-uri is required'],
    [['create', 'a', '--token-endpoint-auth-method', 'tls'], 2, 'must be one of client_secret'],
    [
      ['create', 'a', '--grant-type', 'foo'],
      2,
      'permitted are authorization_code, refresh_token, client_credentials\n',
    ],
    [
      ['create', 'a', '--public', '--grant-type', 'client_credentials'],
      2,
      'permitted are authorization_code, refresh_token\n',
    ],
    [
      ['create', 'a', '--redirect-uri', 'http://a.test/cb'],
      2,
      'has to use https, except on localhost, 127.0.0.1 and [::1]',
    ],
    [['create', 'a', '--jwks', '/nowhere.json'], 2, 'no such file'],
    [['create', 'a', '--jwks', import.meta.filename], 2, 'the file is not JSON'],
    [['rotate', 'x'], 2, 'ID: invalid client_id format'],
    [['rotate', 'x', '--scope', 'email'], 2, '--scope is an option of clients create'],
  ])('rejects %j', async (args, expectedCode, expected) => {
    const { code, output } = await clients(...args)

    expect([code, output]).toEqual([expectedCode, expect.stringContaining(expected)])
  })

  it('registers a client with private_key_jwt, by its keys or by their URL', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'latchkey-clients-'))
    const file = join(folder, 'jwks.json')
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'one' }
    await writeFile(file, JSON.stringify({ keys: [jwk] }))
    const uri = 'https://client.example.test/jwks.json'
    const method = ['--token-endpoint-auth-method', 'private_key_jwt']
    const grant = ['--grant-type', 'client_credentials']
    try {
      const byKeys = await json('create', 'Reports', ...grant, ...method, '--jwks', file)
      const byUrl = await json('create', 'Reports', ...grant, ...method, '--jwks-uri', uri)

      const expected = { tokenEndpointAuthMethod: 'private_key_jwt', clientType: 'confidential' }
      expect(byKeys).toMatchObject({ ...expected, jwks: { keys: [jwk] } })
      expect(byUrl).toMatchObject({ ...expected, jwksUri: uri })
      expect([byKeys.clientSecret, byUrl.clientSecret]).toEqual([null, null])
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })

  it('states the setting while the OAuth server is disabled', async () => {
    const { code, output } = await runCli(['clients'], environmentFor(database.url, {}))

    expect([code, output]).toEqual([
      1,
      expect.stringMatching(
        /^clients: OAuth server is disabled: set AUTH_OAUTH_SERVER_ENABLED=true, .*--config FILE\n$/,
      ),
    ])
  })
})
